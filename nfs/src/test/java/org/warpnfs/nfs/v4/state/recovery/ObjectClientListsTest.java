package org.warpnfs.nfs.v4.state.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.cluster.FakeObjects;
import org.warpnfs.nfs.cluster.Member;
import org.warpnfs.nfs.cluster.NodeObject;
import org.warpnfs.nfs.v4.xdr.Opaque;

class ObjectClientListsTest {
    private static final Opaque ANN = Opaque.of("ann".getBytes(StandardCharsets.US_ASCII));
    private static final Opaque BOB = Opaque.of("bob".getBytes(StandardCharsets.US_ASCII));

    private final FakeObjects objects = new FakeObjects();
    private final AtomicInteger recovered = new AtomicInteger();

    private ClusterRecoveryLog open(int instance, long epoch, Member.@Nullable Records source) throws IOException {
        return ClusterRecoveryLog.open(
                new ObjectClientLists(NodeObject.claim(objects, "a", instance)),
                new Member(instance, true, source != null, epoch, source),
                epoch,
                new ClusterRecoveryLog.Place(
                        new byte[16], new byte[] {1}, SharedGrace.NONE, recovered::incrementAndGet));
    }

    private Set<Opaque> list(long epoch, int instance) throws IOException {
        Set<Opaque> clients = new LinkedHashSet<>();
        objects.read("node.a", "clients/" + epoch + "/" + instance + "/")
                .values()
                .forEach(owner -> clients.add(Opaque.of(owner)));
        return clients;
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
            log.enter(7);
        }
        assertThat(list(5, 1)).isEmpty();
        assertThat(list(6, 1)).containsExactlyInAnyOrder(ANN, BOB);
        assertThat(list(7, 1)).containsExactlyInAnyOrder(ANN, BOB);
    }

    @Test
    void listMadeOnceMore_hasNothingOfTheOneBefore() throws IOException {
        ObjectClientLists lists = new ObjectClientLists(NodeObject.claim(objects, "a", 1));
        Member.Records records = new Member.Records(5, 1);
        ClientList _ = lists.create(records, Set.of(ANN));
        ClientList again = lists.create(records, Set.of(BOB));
        assertThat(again.clients()).containsExactly(BOB);
        assertThat(lists.read(records)).containsExactly(BOB);
    }

    @Test
    void nodeThatWasNotWaitedFor_hasNoReclaimers() throws IOException {
        try (ClusterRecoveryLog log = open(1, 5, null)) {
            log.add(ANN);
        }
        try (ClusterRecoveryLog log = open(2, 8, null)) {
            assertThat(log.reclaimers()).isEmpty();
        }
        assertThat(list(5, 1)).isEmpty();
    }

    /** A process that was held up, while another took its place, must not add clients that nobody reads. */
    @Test
    void processThatWasTakenOver_isToldThatItCannotAddClients() throws IOException {
        try (ClusterRecoveryLog first = open(1, 5, null);
                ClusterRecoveryLog _ = open(2, 6, new Member.Records(5, 1))) {
            assertThatThrownBy(() -> first.add(ANN)).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> first.enter(7)).isInstanceOf(IOException.class);
            assertThat(first.hasClients()).isFalse();
        }
    }

    @Test
    void changeWithoutAnswer_isNoClientNow_andCanBeMadeAgain() throws IOException {
        try (ClusterRecoveryLog log = open(1, 5, null)) {
            for (boolean made : List.of(false, true)) {
                objects.fail(true, made);
                assertThatThrownBy(() -> log.add(ANN)).hasMessage("no answer in time");
                assertThat(log.hasClients()).isFalse();
            }
            objects.fail(false, false);
            log.add(ANN);
            assertThat(log.hasClients()).isTrue();
        }
        assertThat(list(5, 1)).containsExactly(ANN);
    }

    /** A client that stays listed though its state is gone could reclaim what others have had meanwhile. */
    @Test
    void removalWithoutAnswer_isRepeatedByTheNextChange() throws IOException {
        try (ClusterRecoveryLog log = open(1, 5, null)) {
            log.add(ANN);
            objects.fail(true, false);
            assertThatThrownBy(() -> log.write(List.of(new RecoveryLog.Change.Removed(ANN))))
                    .hasMessage("no answer in time");
            assertThat(list(5, 1)).containsExactly(ANN);
            objects.fail(false, false);
            log.add(BOB);
            assertThat(list(5, 1)).containsExactly(BOB);
        }
    }

    @Test
    void additionThatWasMadeThoughNobodyHeardOfIt_isTakenBackByTheNextChange() throws IOException {
        try (ClusterRecoveryLog log = open(1, 5, null)) {
            objects.fail(true, true);
            assertThatThrownBy(() -> log.add(ANN)).hasMessage("no answer in time");
            assertThat(list(5, 1)).containsExactly(ANN);
            objects.fail(false, false);
            log.add(BOB);
            assertThat(list(5, 1)).containsExactly(BOB);
        }
    }

    @Test
    void valueThatIsNotTheClientOfItsName_isRefused() throws IOException {
        try (ClusterRecoveryLog log = open(1, 5, null)) {
            log.add(ANN);
        }
        NodeObject node = NodeObject.claim(objects, "a", 1);
        String name = node.read("clients/5/1/").firstKey();
        node.change(Map.of(name, "eve".getBytes(StandardCharsets.US_ASCII)), Set.of());
        assertThatThrownBy(() -> open(2, 6, new Member.Records(5, 1)))
                .hasMessageContaining(name)
                .hasMessageContaining("damaged");
    }
}
