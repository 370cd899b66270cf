package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FsError;

/** What is kept of handles between two runs, or is not, and for which tree. */
class StateDirectoryTest extends LocalTreeFixture {
    @Test
    void serverDied_tableWithoutItsEnd_filesAreSearchedFor() throws Exception {
        Path state = base.resolve("state");
        restart(UNPRIVILEGED.withStateDirectory(state));
        FileHandle directory = fs.makeDirectory(
                        Caller.ROOT, fs.root(), FileName.of("d"), AttributeChanges.ofPermissions(0755))
                .handle();
        FileHandle file = create(directory, "f");
        fs.close();
        try (Stream<Path> logs = Files.list(state)) {
            Path log = logs.filter(path -> path.toString().endsWith(".log"))
                    .findFirst()
                    .orElseThrow();
            byte[] whole = Files.readAllBytes(log);
            Files.write(log, Arrays.copyOf(whole, 20));
        }
        restart(UNPRIVILEGED.withStateDirectory(state));

        assertThat(fs.attributes(file).linkCount()).isOne();
        assertThat(lookup(fs.root(), "d")).isEqualTo(directory);
        assertFails(FsError.STALE, () -> fs.attributes(flippedInode(file)));
    }

    private static FileHandle flippedInode(FileHandle handle) {
        byte[] bytes = handle.toBytes();
        bytes[12] ^= 1;
        return FileHandle.of(bytes);
    }

    @Test
    void stateDirectory_ofAnotherServer_isRefused() throws Exception {
        LocalOptions options = UNPRIVILEGED.withStateDirectory(base.resolve("state"));
        restart(options);

        assertThatThrownBy(() -> LocalFileSystem.open(tree, options))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("another server uses");
    }

    @Test
    void noStateDirectory_restarted_filesAreSearchedFor() throws Exception {
        restart(UNPRIVILEGED);
        FileHandle file = create(fs.root(), "f");
        restart(UNPRIVILEGED);

        assertThat(fs.attributes(file).linkCount()).isOne();
    }

    @Test
    void handles_ofAnotherTree_areStale() throws Exception {
        FileHandle file = create(fs.root(), "f");
        Path other = Files.createDirectory(base.resolve("other"));
        try (LocalFileSystem second = LocalFileSystem.open(other, LocalOptions.DEFAULTS)) {
            assertFails(FsError.STALE, () -> second.attributes(file));
            assertFails(FsError.STALE, () -> second.attributes(fs.root()));
        }
    }
}
