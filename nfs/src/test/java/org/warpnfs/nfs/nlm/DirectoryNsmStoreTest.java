package org.warpnfs.nfs.nlm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files in which clients with locks are remembered. */
class DirectoryNsmStoreTest {
    @TempDir
    Path directory;

    private static String permissions(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    @Test
    void files_areForTheServersUserAlone() throws IOException {
        DirectoryNsmStore store = DirectoryNsmStore.open(directory);
        store.write("state", "1");
        store.addHost("client", "text");

        assertThat(permissions(directory.resolve("state"))).isEqualTo("rw-------");
        assertThat(permissions(directory.resolve("hosts"))).isEqualTo("rwx------");
        assertThat(permissions(directory.resolve("hosts/client"))).isEqualTo("rw-------");
    }

    @Test
    void write_overWhatACrashHasLeft_replacesBoth() throws IOException {
        DirectoryNsmStore store = DirectoryNsmStore.open(directory);
        store.write("state", "before");
        Files.writeString(directory.resolve("state.new"), "half of a longer te");

        store.write("state", "now");

        assertThat(DirectoryNsmStore.open(directory).read("state")).contains("now");
        assertThat(directory.resolve("state.new")).doesNotExist();
    }
}
