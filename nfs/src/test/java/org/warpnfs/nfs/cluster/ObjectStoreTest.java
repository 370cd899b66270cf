package org.warpnfs.nfs.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ObjectStoreTest extends ClusterStoreContract {
    private final FakeObjects objects = new FakeObjects();
    private final ObjectStore store = new ObjectStore(objects);

    @Override
    ClusterStore newStore() {
        return new ObjectStore(objects);
    }

    @Test
    void replace_ofAVersionToCome_isRefused() throws IOException {
        assertThat(store.replace(7, store.read().record().join("a"))).isFalse();
        assertThat(store.read().record().members()).isEmpty();
    }

    @Test
    void addresses_areSeenByOthers_andMissingOnesAreNone() throws IOException {
        store.publish("a", List.of("192.0.2.1", "fe80::1"));
        assertThat(store.addresses("a")).containsExactly("192.0.2.1", "fe80::1");
        assertThat(store.addresses("b")).isEmpty();
        store.publish("a", List.of());
        assertThat(store.addresses("a")).isEmpty();
    }

    @Test
    void record_damaged_isRefusedWithWhatToDo() throws IOException {
        assertThat(store.replace(0, store.read().record().join("a"))).isTrue();
        byte[] value = objects.read("record", "").get("record");
        value[40] ^= 1;
        boolean _ = objects.change("record", SharedObjects.Change.of("record", value));
        assertThatThrownBy(store::read)
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("object record: ")
                .hasMessageContaining("remove all objects of this namespace but handle-key");
        boolean _ = objects.change("record", SharedObjects.Change.of("record", new byte[3]));
        assertThatThrownBy(store::read).hasMessageContaining("3 bytes");
    }

    @Test
    void nodeThatALaterInstanceHasTaken_changesNothing() throws IOException {
        NodeObject first = NodeObject.claim(objects, "a", 3);
        first.change(Map.of("x", bytes("1")), Set.of());
        NodeObject second = NodeObject.claim(objects, "a", 5);
        assertThat(second.read("").get("x")).isEqualTo(bytes("1"));
        assertThatThrownBy(() -> first.change(Map.of("x", bytes("2")), Set.of()))
                .hasMessageContaining("a later process of this node has taken it over");
        assertThatThrownBy(() -> NodeObject.claim(objects, "a", 4)).hasMessageContaining("a later process");
        second.change(Map.of("y", bytes("3")), Set.of("x"));
        assertThat(NodeObject.claim(objects, "a", 5).read("x")).isEmpty();
        assertThat(NodeObject.claim(objects, "b", 1).read("y"))
                .as("of another node")
                .isEmpty();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void record_missing_foundsNoSecondCluster() throws IOException {
        assertThat(store.replace(0, store.read().record().join("a"))).isTrue();
        String identity = store.read().record().identity();
        objects.remove("record");
        for (ObjectStore any : List.of(store, new ObjectStore(objects))) {
            assertThatThrownBy(any::read)
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith("object record: was removed");
        }
        objects.remove("identity");
        assertThat(store.read().version()).as("of a cluster that begins anew").isZero();
        ObjectStore anew = new ObjectStore(objects);
        assertThat(anew.replace(0, anew.read().record().join("a"))).isTrue();
        assertThat(anew.read().record().identity()).isNotEqualTo(identity);
    }

    @Test
    void record_ofAnotherCluster_isRefused() throws IOException {
        assertThat(store.replace(0, store.read().record().join("a"))).isTrue();
        boolean _ = objects.change("identity", SharedObjects.Change.of("identity", bytes("another")));
        assertThatThrownBy(store::read).hasMessageContaining("of another cluster");
    }

    @Test
    void nodeWhoseObjectWasRemoved_isNotToldOfALaterProcess() throws IOException {
        NodeObject node = NodeObject.claim(objects, "a", 3);
        objects.remove("node.a");
        assertThatThrownBy(() -> node.change(Map.of("x", bytes("1")), Set.of()))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("object node.a: was removed");
    }
}
