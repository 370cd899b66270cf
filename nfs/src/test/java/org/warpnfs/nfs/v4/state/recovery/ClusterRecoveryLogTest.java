package org.warpnfs.nfs.v4.state.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.nfs.cluster.Member;
import org.warpnfs.nfs.v4.xdr.Opaque;

class ClusterRecoveryLogTest {
    private static final Opaque ANN = Opaque.of("ann".getBytes(StandardCharsets.US_ASCII));
    private static final Opaque BOB = Opaque.of("bob".getBytes(StandardCharsets.US_ASCII));

    @TempDir
    Path directory;

    private final AtomicInteger recovered = new AtomicInteger();

    private ClusterRecoveryLog open(int instance, long epoch, Member.@Nullable Records source) throws IOException {
        Member joined = new Member(instance, true, source != null, epoch, source);
        return ClusterRecoveryLog.open(
                new DirectoryClientLists(directory),
                joined,
                epoch,
                new ClusterRecoveryLog.Place(
                        new byte[16], new byte[] {1}, SharedGrace.NONE, recovered::incrementAndGet));
    }

    @Test
    void crash_clientsOfTheValidListMayReclaim() throws IOException {
        try (ClusterRecoveryLog log = open(1, 5, null)) {
            assertThat(recovered).hasValue(1);
            log.write(List.of(new RecoveryLog.Change.Added(ANN), new RecoveryLog.Change.Added(BOB)));
            log.remove(BOB);
            assertThat(log.hasClients()).isTrue();
        }
        try (ClusterRecoveryLog log = open(2, 6, new Member.Records(5, 1))) {
            assertThat(log.reclaimers()).containsExactly(ANN);
            assertThat(log.instance()).isEqualTo(2);
            assertThat(recovered).as("it waits for its client").hasValue(1);
            log.endGrace();
            assertThat(recovered).hasValue(2);
            assertThat(log.hasClients()).isFalse();
        }
    }

    @Test
    void newEpoch_hasTheClientsOfBefore_andTheOldListStaysUntilTheNext() throws IOException {
        try (ClusterRecoveryLog log = open(1, 5, null)) {
            log.add(ANN);
            log.enter(6);
            log.add(BOB);
            assertThat(FileClientList.read(directory.resolve("clients-5-1.log")))
                    .containsExactly(ANN);
            assertThat(FileClientList.read(directory.resolve("clients-6-1.log")))
                    .containsExactly(ANN, BOB);
            log.enter(7);
            assertThat(Files.exists(directory.resolve("clients-5-1.log"))).isFalse();
            assertThat(Files.exists(directory.resolve("clients-6-1.log"))).isTrue();
        }
        // The period of epoch 7 was never lifted.
        try (ClusterRecoveryLog log = open(2, 7, new Member.Records(6, 1))) {
            assertThat(log.reclaimers()).containsExactlyInAnyOrder(ANN, BOB);
        }
    }

    @Test
    void nodeThatWasNotWaitedFor_hasNoReclaimers() throws IOException {
        try (ClusterRecoveryLog log = open(1, 5, null)) {
            log.add(ANN);
        }
        try (ClusterRecoveryLog log = open(2, 8, null)) {
            assertThat(log.reclaimers()).isEmpty();
            assertThat(Files.exists(directory.resolve("clients-5-1.log"))).isFalse();
        }
    }

    /** A process that was held up since it joined, while another took its place. */
    @Test
    void listsOfLaterInstances_stay() throws IOException {
        try (ClusterRecoveryLog log = open(3, 7, null)) {
            log.add(ANN);
        }
        try (ClusterRecoveryLog _ = open(2, 6, new Member.Records(5, 1))) {
            assertThat(Files.exists(directory.resolve("clients-7-3.log"))).isTrue();
        }
        try (ClusterRecoveryLog log = open(4, 8, new Member.Records(7, 3))) {
            assertThat(log.reclaimers()).containsExactly(ANN);
            assertThat(Files.exists(directory.resolve("clients-6-2.log"))).isFalse();
        }
    }

    @Test
    void damagedList_isRefusedWithItsName() throws IOException {
        try (ClusterRecoveryLog log = open(1, 5, null)) {
            log.add(ANN);
        }
        Path file = directory.resolve("clients-5-1.log");
        byte[] bytes = Files.readAllBytes(file);
        bytes[40] ^= 1;
        Files.write(file, bytes);
        assertThatThrownBy(() -> open(2, 6, new Member.Records(5, 1)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(file.toString());
    }
}
