package org.warpnfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
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

    /** A clock that the waiting itself moves on. */
    private static final class Waited implements StateDirectory.Waiting {
        private final int most;
        private int pauses;
        private Runnable atThird = () -> {};

        Waited(int most) {
            this.most = most;
        }

        @Override
        public boolean pause() {
            if (++pauses == 3) {
                atThird.run();
            }
            return pauses <= most;
        }
    }

    @Test
    void lockOfAnEarlierProcess_thatTheFileSystemStillKeeps_isWaitedFor() throws Exception {
        StateDirectory earlier = StateDirectory.open(temporary);
        byte[] key = earlier.handleKey();
        Waited waited = new Waited(100);
        waited.atThird = earlier::close;
        try (StateDirectory state = StateDirectory.openOfNode(temporary, waited)) {
            assertThat(state.handleKey()).isEqualTo(key);
        }
        assertThat(waited.pauses).isEqualTo(3);
    }

    @Test
    void lockOfAnEarlierProcess_thatIsKeptForTooLong_isRefusedWithWhatToDo() throws Exception {
        Waited waited = new Waited(5);
        try (StateDirectory _ = StateDirectory.open(temporary)) {
            assertThatThrownBy(() -> StateDirectory.openOfNode(temporary, waited))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining(temporary.toString())
                    .hasMessageContaining("elsewhere")
                    .hasMessageNotContaining("--state");
        }
        assertThat(waited.pauses).isEqualTo(6);
        // Nothing of the wait is left behind.
        StateDirectory.open(temporary).close();
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

    /** Of each byte of the key and of its checksum, each bit. */
    @Test
    void handleKey_anyByteChanged_isRefusedWithWhatToDoAndKept() throws Exception {
        Path file = temporary.resolve("handle-key");
        try (StateDirectory state = StateDirectory.open(temporary)) {
            state.handleKey();
            byte[] whole = Files.readAllBytes(file);
            for (int bit = 0; bit < whole.length * Byte.SIZE; bit++) {
                byte[] damaged = whole.clone();
                damaged[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
                Files.write(file, damaged);
                assertThatThrownBy(state::handleKey)
                        .isInstanceOf(ConfigException.class)
                        .hasMessageContaining(file + ": is damaged")
                        .hasMessageContaining("restore it, or remove it");
                assertThat(file).hasBinaryContent(damaged);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 15, 17, 19, 21, 4096})
    void handleKey_cutOrLonger_isRefusedWithWhatToDoAndKept(int length) throws Exception {
        Path file = temporary.resolve("handle-key");
        Files.write(file, new byte[length]);
        try (StateDirectory state = StateDirectory.open(temporary)) {
            assertThatThrownBy(state::handleKey)
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining(file + ": holds " + length + " bytes")
                    .hasMessageContaining("restore it, or remove it");
        }
        assertThat(file).hasSize(length);
    }

    @Test
    void handleKey_directoryInItsPlace_isRefused() throws Exception {
        Path file = Files.createDirectory(temporary.resolve("handle-key"));
        try (StateDirectory state = StateDirectory.open(temporary)) {
            assertThatThrownBy(state::handleKey)
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining(file + "");
        }
    }

    @Test
    void handleKey_ofAnEarlierVersion_isKeptAndGetsAChecksum() throws Exception {
        Path file = temporary.resolve("handle-key");
        byte[] key = "sixteen bytes...".getBytes(StandardCharsets.US_ASCII);
        Files.write(file, key);
        try (StateDirectory state = StateDirectory.open(temporary)) {
            assertThat(state.handleKey()).isEqualTo(key);
            assertThat(file).hasSize(20);
            assertThat(state.handleKey()).isEqualTo(key);
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

    /** Earlier servers did not write the format of the state directory. */
    @Test
    void format_missing_isTheFirst_andWrittenDown() throws Exception {
        Files.write(temporary.resolve("handle-key"), new byte[16]);
        try (StateDirectory state = StateDirectory.open(temporary)) {
            assertThat(state.handleKey()).isEqualTo(new byte[16]);
        }
        assertThat(temporary.resolve("format")).hasContent("warpnfs-state 1\n");
        StateDirectory.open(temporary).close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"warpnfs-state 2\n", "warpnfs-state 999999999\n"})
    void format_ofALaterServer_isRefusedAndNothingIsTouched(String line) throws Exception {
        Files.writeString(temporary.resolve("format"), line);
        Files.write(temporary.resolve("handle-key"), new byte[5]);
        assertThatThrownBy(() -> StateDirectory.open(temporary))
                .isInstanceOf(ConfigException.class)
                .hasMessageContainingAll(temporary.toString(), "later version", "formats up to 1");
        assertThat(temporary.resolve("format")).hasContent(line);
        assertThat(temporary.resolve("handle-key")).hasSize(5);
        Files.writeString(temporary.resolve("format"), "warpnfs-state 1\n");
        StateDirectory.open(temporary).close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "warpnfs-state",
                "warpnfs-state 0\n",
                "warpnfs-state 01\n",
                "warpnfs-state 1",
                "\u00e4 1\n",
                "warpnfs-state 2147483648\n"
            })
    void format_damaged_isRefused(String line) throws Exception {
        Files.write(temporary.resolve("format"), line.getBytes(StandardCharsets.ISO_8859_1));
        assertThatThrownBy(() -> StateDirectory.open(temporary))
                .isInstanceOf(ConfigException.class)
                .hasMessageContainingAll(temporary.toString(), "does not name");
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

    /** Records which directories were synced, and the names in them at that time. */
    private static final class Notes implements DurableDirectories.Sync {
        private final Map<Path, Set<String>> synced = new HashMap<>();

        @Override
        public void sync(Path directory) throws IOException {
            try (Stream<Path> names = Files.list(directory)) {
                synced.put(
                        directory,
                        names.map(name -> name.getFileName().toString()).collect(Collectors.toSet()));
            }
        }

        void assertLasting(Path path) {
            assertThat(synced).containsKey(path.getParent());
            assertThat(synced.get(path.getParent())).contains(path.getFileName().toString());
        }
    }

    @Test
    void whatIsMade_anywhere_isSyncedInItsDirectory() throws Exception {
        Notes notes = new Notes();
        Path path = temporary.resolve("a/b/c");
        try (StateDirectory state = StateDirectory.open(path, notes)) {
            for (Path made :
                    List.of(temporary, path, path.getParent(), path.getParent().getParent())) {
                notes.assertLasting(made);
            }
            notes.assertLasting(state.part("nfs4"));
            state.handleKey();
            notes.assertLasting(path.resolve("handle-key"));
        }
    }

    @Test
    void whatAKilledStartMade_foundByTheNext_isSyncedBeforeItIsUsed() throws Exception {
        Path path = temporary.resolve("a");
        try (StateDirectory state = StateDirectory.open(path)) {
            state.part("nfs4");
            state.handleKey();
        }
        Notes notes = new Notes();
        try (StateDirectory state = StateDirectory.open(path, notes)) {
            notes.assertLasting(path);
            notes.synced.clear();
            notes.assertLasting(state.part("nfs4"));
            notes.synced.clear();
            state.handleKey();
            notes.assertLasting(path.resolve("handle-key"));
        }
    }

    @Test
    void syncFails_start_saysWhichDirectory() {
        assertThatThrownBy(() -> StateDirectory.open(temporary.resolve("a"), directory -> {
                    throw new IOException("Input/output error");
                }))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(temporary.toString())
                .hasMessageContaining("Input/output error");
    }
}
