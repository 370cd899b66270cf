package org.warpnfs.nfs.v4.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.nfs.v4.xdr.Opaque;

class FileRecoveryLogTest {
    @TempDir
    Path directory;

    private static Opaque owner(String name) {
        return Opaque.of(name.getBytes(StandardCharsets.US_ASCII));
    }

    private Path file() {
        return directory.resolve(FileRecoveryLog.FILE_NAME);
    }

    @Test
    void log_afterARestart_knowsWhoHeldState() throws IOException {
        FileRecoveryLog first = FileRecoveryLog.open(directory);
        assertThat(first.reclaimers()).isEmpty();
        first.add(owner("a"));
        first.add(owner("b"));
        first.add(owner("c"));
        first.remove(owner("b"));
        // Killed: not closed.
        FileRecoveryLog second = FileRecoveryLog.open(directory);
        assertThat(second.reclaimers()).containsExactlyInAnyOrder(owner("a"), owner("c"));
        assertThat(second.instance()).isEqualTo(first.instance() + 1);
        assertThat(second.serverIdentity()).isEqualTo(first.serverIdentity());
        second.add(owner("a"));
        // Killed again while grace runs: c may still come.
        FileRecoveryLog third = FileRecoveryLog.open(directory);
        assertThat(third.reclaimers()).containsExactlyInAnyOrder(owner("a"), owner("c"));
        third.add(owner("a"));
        third.endGrace();
        FileRecoveryLog fourth = FileRecoveryLog.open(directory);
        assertThat(fourth.reclaimers()).containsExactly(owner("a"));
        first.close();
        second.close();
        third.close();
        fourth.close();
    }

    @Test
    void log_cutAnywhereInItsLastRecord_losesThatAlone() throws IOException {
        FileRecoveryLog log = FileRecoveryLog.open(directory);
        log.add(owner("kept"));
        int kept = (int) Files.size(file());
        log.add(owner("torn"));
        log.close();
        byte[] whole = Files.readAllBytes(file());
        for (int length = kept; length < whole.length; length++) {
            Files.write(file(), Arrays.copyOf(whole, length));
            try (FileRecoveryLog again = FileRecoveryLog.open(directory)) {
                assertThat(again.reclaimers()).as("cut at %d", length).containsExactly(owner("kept"));
            }
        }
        byte[] wrong = whole.clone();
        wrong[whole.length - 1]++;
        Files.write(file(), wrong);
        try (FileRecoveryLog again = FileRecoveryLog.open(directory)) {
            assertThat(again.reclaimers()).containsExactly(owner("kept"));
        }
    }

    @Test
    void log_damagedInTheMiddle_refusesWithTheFilesName() throws IOException {
        FileRecoveryLog log = FileRecoveryLog.open(directory);
        log.add(owner("a"));
        log.add(owner("b"));
        log.close();
        byte[] bytes = Files.readAllBytes(file());
        bytes[20]++;
        Files.write(file(), bytes);
        assertThatThrownBy(() -> FileRecoveryLog.open(directory))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(file().toString())
                .hasMessageContaining("checksum");
        Files.write(file(), new byte[100]);
        assertThatThrownBy(() -> FileRecoveryLog.open(directory)).isInstanceOf(IOException.class);
    }

    @Test
    void log_writerIsInterrupted_isWrittenAnewByTheNext() throws IOException {
        FileRecoveryLog first = FileRecoveryLog.open(directory);
        first.add(owner("a"));
        first.close();
        FileRecoveryLog second = FileRecoveryLog.open(directory);
        interrupted(second::endGrace);
        second.endGrace();
        interrupted(() -> second.add(owner("b")));
        second.add(owner("b"));
        FileRecoveryLog third = FileRecoveryLog.open(directory);
        assertThat(third.reclaimers()).containsExactly(owner("b"));
        second.close();
        third.close();
    }

    private static void interrupted(ThrowingCallable write) {
        Thread.currentThread().interrupt();
        try {
            assertThatThrownBy(write).isInstanceOf(IOException.class);
        } finally {
            boolean _ = Thread.interrupted();
        }
    }

    @Test
    void log_grownLong_isCompacted() throws IOException {
        try (FileRecoveryLog log = FileRecoveryLog.open(directory)) {
            Opaque large = Opaque.of(new byte[1024]);
            log.add(owner("stays"));
            // The file is written as it would have grown, without a thousand syncs.
            byte[] bytes = Files.readAllBytes(file());
            Files.write(file(), Arrays.copyOf(bytes, FileRecoveryLog.COMPACT_BEYOND_BYTES + 1));
            log.add(large);
            assertThat(Files.size(file())).isLessThan(4096);
            log.remove(large);
        }
        try (FileRecoveryLog again = FileRecoveryLog.open(directory)) {
            assertThat(again.reclaimers()).containsExactly(owner("stays"));
        }
    }
}
