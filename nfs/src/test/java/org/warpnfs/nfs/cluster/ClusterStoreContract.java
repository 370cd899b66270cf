package org.warpnfs.nfs.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What gateways share, wherever it is kept. */
abstract class ClusterStoreContract {
    private ClusterStore store;

    /** What one gateway has of the store of this test. */
    abstract ClusterStore newStore() throws IOException;

    @BeforeEach
    final void openStore() throws IOException {
        store = newStore();
    }

    @Test
    void record_everyField_isReadBack() throws IOException {
        ClusterRecord record = store.read().record().join("a").join("b");
        assertThat(store.replace(0, record)).isTrue();
        ClusterRecord failed = record.failed("b", 2).enforce("a", 1);
        assertThat(store.replace(1, failed)).isTrue();
        assertThat(newStore().read()).isEqualTo(new ClusterStore.Versioned(2, failed));
        assertThat(failed.isGrace()).isTrue();
    }

    @Test
    void replace_ofAVersionThatIsNotTheLatest_isRefused() throws IOException {
        ClusterRecord record = store.read().record();
        assertThat(store.replace(0, record.join("a"))).isTrue();
        assertThat(store.replace(0, record.join("b"))).isFalse();
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
                ClusterStore own = newStore();
                all.add(threads.submit(() -> joinAndStop(own, name, times)));
            }
            for (Future<?> one : all) {
                Object _ = one.get();
            }
        }
        assertThat(store.read().version()).isEqualTo((long) nodes * times);
        assertThat(store.read().record().lastInstance()).isEqualTo(nodes * times / 2);
    }

    private static int joinAndStop(ClusterStore own, String name, int times) throws IOException {
        int done = 0;
        while (done < times) {
            ClusterStore.Versioned read = own.read();
            Member member = read.record().member(name);
            ClusterRecord next = member == null || !member.running()
                    ? read.record().join(name)
                    : read.record().stopped(name, member.instance(), false);
            if (own.replace(read.version(), next)) {
                done++;
            }
        }
        return done;
    }

    @Test
    void signsOfLife_areSeenByOthers_andMissingOnesAreNone() throws IOException {
        store.beat("a", new Beat(3, 1, 0, false));
        Beat latest = new Beat(3, 22, 7, true);
        store.beat("a", latest);
        assertThat(newStore().beats(Set.of("a", "b"))).isEqualTo(Map.of("a", latest));
    }
}
