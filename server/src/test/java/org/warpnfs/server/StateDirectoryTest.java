package org.warpnfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.server.config.ConfigException;

class StateDirectoryTest {
    @TempDir
    private Path temporary;

    @Test
    void open_missing_isMadeForItsUserAlone() throws Exception {
        Path path = temporary.resolve("a/b");
        StateDirectory.open(path).close();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                .isEqualTo("rwx------");
    }

    @Test
    void handleKey_openedAgain_isTheSame() throws Exception {
        byte[] first;
        try (StateDirectory state = StateDirectory.open(temporary)) {
            first = state.handleKey();
            assertThat(first).hasSize(16);
            assertThat(state.handleKey()).isEqualTo(first);
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(temporary.resolve("handle-key"))))
                .isEqualTo("rw-------");
        try (StateDirectory state = StateDirectory.open(temporary)) {
            assertThat(state.handleKey()).isEqualTo(first);
        }
        try (StateDirectory other = StateDirectory.open(temporary.resolve("other"))) {
            assertThat(other.handleKey()).isNotEqualTo(first);
        }
    }

    @Test
    void handleKey_damaged_isRefusedAndKept() throws Exception {
        Files.write(temporary.resolve("handle-key"), new byte[5]);
        try (StateDirectory state = StateDirectory.open(temporary)) {
            assertThatThrownBy(state::handleKey)
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("5 bytes");
        }
        assertThat(temporary.resolve("handle-key")).hasSize(5);
    }

    @Test
    void open_inUse_saysSo() throws Exception {
        try (StateDirectory first = StateDirectory.open(temporary)) {
            assertThatThrownBy(() -> StateDirectory.open(first.path()))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("another warpnfs");
        }
        StateDirectory.open(temporary).close();
    }

    @Test
    void open_isAFile_saysSo() throws Exception {
        Path file = Files.createFile(temporary.resolve("file"));
        assertThatThrownBy(() -> StateDirectory.open(file))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(file.toString());
    }
}
