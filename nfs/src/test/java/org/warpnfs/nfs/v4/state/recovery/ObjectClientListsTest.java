package org.warpnfs.nfs.v4.state.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.cluster.FakeObjects;
import org.warpnfs.nfs.cluster.Member;
import org.warpnfs.nfs.cluster.NodeObject;
import org.warpnfs.nfs.v4.xdr.Opaque;

class ObjectClientListsTest extends ClientListsContract {
    private final FakeObjects objects = new FakeObjects();

    @Override
    ClientLists lists(int instance) throws IOException {
        return new ObjectClientLists(NodeObject.claim(objects, "a", instance));
    }

    @Override
    Set<Opaque> list(long epoch, int instance) throws IOException {
        Set<Opaque> clients = new LinkedHashSet<>();
        objects.read("node.a", "clients/" + epoch + "/" + instance + "/")
                .values()
                .forEach(owner -> clients.add(Opaque.of(owner)));
        return clients;
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
