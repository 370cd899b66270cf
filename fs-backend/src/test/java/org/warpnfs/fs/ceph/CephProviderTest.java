package org.warpnfs.fs.ceph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
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

    /** An earlier version wrote the name without a sync, and the power was cut. */
    @Test
    void name_empty_isMadeAnewAndKept() throws Exception {
        Files.createFile(state.resolve("mount-name"));

        String made = CephProvider.name(state);

        assertThat(made).startsWith("warpnfs-");
        assertThat(state.resolve("mount-name")).hasContent(made);
        assertThat(CephProvider.name(state)).isEqualTo(made);
        assertThat(state).isDirectoryNotContaining("glob:**.new");
    }

    @ParameterizedTest
    @ValueSource(strings = {"warpnfs-6f1c", "other", "warpnfs-\u00ff\u00fe"})
    void name_damaged_isRefusedWithWhatToDoAndKept(String text) throws Exception {
        Path file = Files.writeString(state.resolve("mount-name"), text);

        assertThatThrownBy(() -> CephProvider.name(state))
                .isInstanceOf(BackendException.class)
                .hasMessageContaining(file + "")
                .hasMessageContaining("remove it");
        assertThat(file).hasContent(text);
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
