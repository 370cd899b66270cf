package org.warpnfs.nfs.v4.state.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.cluster.Member;
import org.warpnfs.nfs.v4.xdr.Opaque;

/** What a recovery log of a cluster gets from its lists of clients, wherever they are kept. */
abstract class ClientListsContract {
    static final Opaque ANN = Opaque.of("ann".getBytes(StandardCharsets.US_ASCII));
    static final Opaque BOB = Opaque.of("bob".getBytes(StandardCharsets.US_ASCII));

    final AtomicInteger recovered = new AtomicInteger();

    /** The lists of the node for this instance of it. */
    abstract ClientLists lists(int instance) throws IOException;

    /** The clients on a list; none if there is no such list. */
    abstract Set<Opaque> list(long epoch, int instance) throws IOException;

    final ClusterRecoveryLog open(int instance, long epoch, Member.@Nullable Records source) throws IOException {
        return ClusterRecoveryLog.open(
                lists(instance),
                new Member(instance, true, source != null, epoch, source),
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
            assertThat(list(5, 1)).containsExactly(ANN);
            assertThat(list(6, 1)).containsExactlyInAnyOrder(ANN, BOB);
            log.enter(7);
            assertThat(list(5, 1)).isEmpty();
            assertThat(list(6, 1)).containsExactlyInAnyOrder(ANN, BOB);
            assertThat(list(7, 1)).containsExactlyInAnyOrder(ANN, BOB);
        }
        // The period of epoch 7 was never lifted.
        try (ClusterRecoveryLog log = open(2, 7, new Member.Records(6, 1))) {
            assertThat(log.reclaimers()).containsExactlyInAnyOrder(ANN, BOB);
        }
    }

    @Test
    void listMadeOnceMore_hasNothingOfTheOneBefore() throws IOException {
        ClientLists lists = lists(1);
        Member.Records records = new Member.Records(5, 1);
        try (ClientList _ = lists.create(records, Set.of(ANN));
                ClientList again = lists.create(records, Set.of(BOB))) {
            assertThat(again.clients()).containsExactly(BOB);
            assertThat(lists.read(records)).containsExactly(BOB);
        }
    }

    @Test
    void nodeThatWasNotWaitedFor_hasNoReclaimers() throws IOException {
        try (ClusterRecoveryLog log = open(1, 5, null)) {
            log.add(ANN);
        }
        try (ClusterRecoveryLog log = open(2, 8, null)) {
            assertThat(log.reclaimers()).isEmpty();
            assertThat(list(5, 1)).isEmpty();
        }
    }
}
