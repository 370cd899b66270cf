package org.warpnfs.nfs.v4.state.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
        // The first one was killed, not closed.
        FileRecoveryLog second = FileRecoveryLog.open(directory);

        assertThat(second.reclaimers()).containsExactlyInAnyOrder(owner("a"), owner("c"));
        assertThat(second.instance()).isEqualTo(first.instance() + 1);
        assertThat(second.serverIdentity()).isEqualTo(first.serverIdentity());

        second.add(owner("a"));
        // Killed again during the grace period: c may still come.
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

    /** A symbolic link to itself is like a medium that fails: nobody can tell whether there is a log. */
    @Test
    void log_thatCannotBeRead_isRefusedAndStays() throws IOException {
        Files.createSymbolicLink(file(), file().getFileName());

        assertThatThrownBy(() -> FileRecoveryLog.open(directory))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(file().toString());

        assertThat(Files.isSymbolicLink(file())).isTrue();
    }

    @Test
    void log_ofNothingItKnows_refusesWithTheFilesName() throws IOException {
        for (byte[] bytes : new byte[][] {
            new byte[0], new byte[100], new byte[BatchLog.ROOM_BYTES], "WNFS4RCV".getBytes(StandardCharsets.US_ASCII)
        }) {
            Files.write(file(), bytes);
            assertThatThrownBy(() -> FileRecoveryLog.open(directory))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(file().toString())
                    .hasMessageContaining("does not begin with a record");
        }
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
    void log_roomIsUsedUp_isCompacted() throws IOException {
        try (FileRecoveryLog log = FileRecoveryLog.open(directory)) {
            Opaque comesAndGoes = owner("b");
            log.add(owner("stays"));
            long length = Files.size(file());
            Object first = Files.getAttribute(file(), "unix:ino");
            for (int written = 0; written <= BatchLog.ROOM_BYTES; written += 2 * BatchLog.PAGE_BYTES) {
                log.add(comesAndGoes);
                log.remove(comesAndGoes);
            }

            assertThat(Files.getAttribute(file(), "unix:ino")).isNotEqualTo(first);
            assertThat(Files.size(file())).isEqualTo(length);
        }
        try (FileRecoveryLog again = FileRecoveryLog.open(directory)) {
            assertThat(again.reclaimers()).containsExactly(owner("stays"));
        }
    }

    @Test
    void log_batchLargerThanItsRoom_isWrittenAll() throws IOException {
        List<RecoveryLog.Change> changes = new ArrayList<>();
        for (int number = 0; number < 400; number++) {
            byte[] owner = new byte[Opaque.MAX_LENGTH_BYTES];
            owner[0] = (byte) number;
            owner[1] = (byte) (number >> 8);
            changes.add(new RecoveryLog.Change.Added(Opaque.of(owner)));
        }
        try (FileRecoveryLog log = FileRecoveryLog.open(directory)) {
            log.write(changes);
            log.add(owner("one more"));
        }
        try (FileRecoveryLog again = FileRecoveryLog.open(directory)) {
            assertThat(again.reclaimers()).hasSize(401);
        }
    }
}
