package org.warpnfs.fs.ceph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.fs.spi.BackendException;

/** The name of a file system's mounts, by which the cluster ends what a killed server has left. */
class CephProviderTest {
    @TempDir
    Path state;

    @Test
    void name_afterARestart_isTheSame() throws Exception {
        String first = CephProvider.name(state);

        assertThat(first).startsWith("warpnfs-");
        assertThat(CephProvider.name(state)).isEqualTo(first);
    }

    /** A symbolic link to itself is like a medium that fails: nobody can tell whether there is a name. */
    @Test
    void name_thatCannotBeRead_isNotReplaced() throws Exception {
        Path file = state.resolve("mount-name");
        Files.createSymbolicLink(file, file.getFileName());

        assertThatThrownBy(() -> CephProvider.name(state))
                .isInstanceOf(BackendException.class)
                .hasMessageContaining(file.toString());

        assertThat(Files.isSymbolicLink(file)).isTrue();
    }
}
