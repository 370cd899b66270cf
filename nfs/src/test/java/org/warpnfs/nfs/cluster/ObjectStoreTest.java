package org.warpnfs.nfs.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class ObjectStoreTest {
    private final FakeObjects objects = new FakeObjects();
    private final ObjectStore store = new ObjectStore(objects);

    @Test
    void record_everyField_isReadBack() throws IOException {
        ClusterRecord record = store.read().record().join("a").join("b");
        assertThat(store.replace(0, record)).isTrue();
        ClusterRecord failed = record.failed("b", 2).enforce("a", 1);
        assertThat(store.replace(1, failed)).isTrue();
        assertThat(new ObjectStore(objects).read()).isEqualTo(new ClusterStore.Versioned(2, failed));
    }

    @Test
    void replace_ofAVersionThatIsNotTheLatest_isRefused() throws IOException {
        ClusterRecord record = store.read().record();
        assertThat(store.replace(0, record.join("a"))).isTrue();
        assertThat(store.replace(0, record.join("b"))).isFalse();
        assertThat(store.replace(7, record.join("b"))).isFalse();
        assertThat(store.read().record().members()).containsOnlyKeys("a");
    }

    @Test
    void replace_byManyAtOnce_losesNone() throws Exception {
        int nodes = 8;
        int times = 20;
        try (ExecutorService threads = Executors.newFixedThreadPool(nodes)) {
            List<Future<?>> all = new ArrayList<>();
            for (int node = 0; node < nodes; node++) {
                String name = "n" + node;
                all.add(threads.submit(() -> {
                    for (int done = 0; done < times; ) {
                        ClusterStore.Versioned read = store.read();
                        ClusterRecord record = read.record();
                        Member own = record.member(name);
                        ClusterRecord next = own == null || !own.running()
                                ? record.join(name)
                                : record.stopped(name, own.instance(), false);
                        if (store.replace(read.version(), next)) {
                            done++;
                        }
                    }
                    return null;
                }));
            }
            for (Future<?> one : all) {
                Object _ = one.get();
            }
        }
        assertThat(store.read().version()).isEqualTo((long) nodes * times);
        assertThat(store.read().record().lastInstance()).isEqualTo(nodes * times / 2);
    }

    @Test
    void signsOfLifeAndAddresses_areSeenByOthers_andMissingOnesAreNone() throws IOException {
        Beat beat = new Beat(3, 17, 2, true);
        store.beat("a", beat);
        store.publish("a", List.of("192.0.2.1", "fe80::1"));
        assertThat(store.beats(Set.of("a", "b"))).isEqualTo(Map.of("a", beat));
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
                .hasMessageContaining("remove it");
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
}
