package org.warpnfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.warpnfs.fs.ceph.librados.RadosClient;
import org.warpnfs.nfs.cluster.SharedObjects;
import org.warpnfs.nfs.fence.FenceEpochs;
import org.warpnfs.nfs.fence.FenceStamp;
import org.warpnfs.nfs.fence.FenceStore;
import org.warpnfs.nfs.fence.FenceView;
import org.warpnfs.nfs.fence.Fencing;
import org.warpnfs.nfs.fence.ObjectFences;
import org.warpnfs.nfs.fence.PublishedFences;
import org.warpnfs.testkit.ceph.CephCluster;

/** Fences of layouts in the objects of a cluster that the test starts. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ObjectFencesTest {
    private static final int SECONDS = 20;
    private static final long FILE = 7;
    private static final long HOUR_NANOS = TimeUnit.HOURS.toNanos(1);

    private final AtomicLong epochs = new AtomicLong();
    private final AtomicLong processes = new AtomicLong();
    private final String namespace = "fences-" + System.nanoTime();
    private RadosSharedObjects objects;
    private RadosSharedObjects others;
    private ObjectFences store;

    @BeforeEach
    void connect() throws Exception {
        CephCluster.skipUnlessPossible(Assumptions::abort);
        objects = connection();
        others = connection();
        store = new ObjectFences(objects);
    }

    private RadosSharedObjects connection() throws Exception {
        RadosClient client = RadosClient.connect("admin", CephCluster.shared().configuration() + "", SECONDS, SECONDS);
        return new RadosSharedObjects(client, client.objects("data", namespace), "data");
    }

    @AfterEach
    void end() {
        if (objects != null) {
            objects.close();
        }
        if (others != null) {
            others.close();
        }
    }

    /** Fences of a metadata server that come from one connection; data servers read by another. */
    private PublishedFences open(String node) throws IOException {
        return open(store, node);
    }

    private PublishedFences open(FenceStore in, String node) throws IOException {
        return PublishedFences.open(
                in, node, (int) processes.incrementAndGet(), epochs::incrementAndGet, Runnable::run, System::nanoTime);
    }

    private FenceView view() {
        return new FenceView(new ObjectFences(others), System::nanoTime);
    }

    private static List<Long> epochsOf(FenceView view, String node) {
        view.read();
        List<FenceEpochs> known = view.of(FenceStamp.tagOf(node), false);
        return known == null ? List.of() : known.stream().map(of -> of.of(FILE)).toList();
    }

    @Test
    void fence_onceItIsWritten_isSeenByDataServers() throws Exception {
        PublishedFences one = open("one");
        FenceView view = view();
        long before = one.stamp(FILE).epoch();
        assertThat(epochsOf(view, "one")).containsExactly(before);

        Fencing.Fence fence = one.begin(FILE);

        assertThat(epochsOf(view, "one"))
                .containsExactly(one.stamp(FILE).epoch())
                .doesNotContain(before);
        assertThat(fence.isDone(System.nanoTime()))
                .as("others may use what they have read")
                .isFalse();
        assertThat(fence.isDone(System.nanoTime() + HOUR_NANOS)).isTrue();
    }

    /** They share an object, and each writes its own value of it. */
    @Test
    void twoServers_thatFenceAtOnce_loseNothing() throws Exception {
        PublishedFences one = open("one");
        PublishedFences two = open("two");
        CountDownLatch begin = new CountDownLatch(1);
        Thread other = Thread.ofPlatform().start(() -> {
            try {
                begin.await();
            } catch (InterruptedException e) {
                return;
            }
            for (int i = 0; i < 20; i++) {
                two.begin(FILE);
            }
        });
        begin.countDown();
        for (int i = 0; i < 20; i++) {
            one.begin(FILE);
        }
        other.join();

        FenceView view = view();
        assertThat(epochsOf(view, "one")).containsExactly(one.stamp(FILE).epoch());
        assertThat(epochsOf(view, "two")).containsExactly(two.stamp(FILE).epoch());
    }

    @Test
    void processThatWasTakenOver_unfencesNothing() throws Exception {
        PublishedFences first = open("one");
        PublishedFences second = open("one");

        Fencing.Fence late = first.begin(FILE);

        assertThat(late.isDone(System.nanoTime() + HOUR_NANOS)).isFalse();
        assertThat(epochsOf(view(), "one")).containsExactly(second.stamp(FILE).epoch());
    }

    /** A process that is stopped after it has looked whose the fences are, and goes on when they are another's. */
    @Test
    void processThatIsTakenOverWhileItWrites_unfencesNothing() throws Exception {
        AtomicReference<PublishedFences> second = new AtomicReference<>();
        AtomicBoolean isHeld = new AtomicBoolean();
        PublishedFences first = open(
                new ObjectFences(new SharedObjects() {
                    @Override
                    public NavigableMap<String, byte[]> read(String object, String prefix) throws IOException {
                        NavigableMap<String, byte[]> values = objects.read(object, prefix);
                        if (isHeld.getAndSet(false)) {
                            second.set(open("one"));
                        }
                        return values;
                    }

                    @Override
                    public boolean change(String object, Change change) throws IOException {
                        return objects.change(object, change);
                    }
                }),
                "one");
        isHeld.set(true);

        Fencing.Fence late = first.begin(FILE);

        assertThat(late.isDone(System.nanoTime() + HOUR_NANOS)).isFalse();
        PublishedFences next = Objects.requireNonNull(second.get());
        assertThat(epochsOf(view(), "one")).containsExactly(next.stamp(FILE).epoch());
        assertThat(next.begin(FILE).isDone(System.nanoTime() + HOUR_NANOS))
                .as("the next process can fence")
                .isTrue();
        assertThat(epochsOf(view(), "one")).containsExactly(next.stamp(FILE).epoch());
    }

    /** What cannot be read is not known, and so no layout is good. The other server's fences still are. */
    @Test
    void valueThatIsDamaged_leavesItsServerUnknown() throws Exception {
        open("one");
        PublishedFences two = open("two");
        byte[] text = store.read().get("one");
        byte[] cut = new String(text, StandardCharsets.US_ASCII)
                .substring(0, text.length / 2)
                .getBytes(StandardCharsets.US_ASCII);
        assertThat(objects.change("fences", new SharedObjects.Change(null, null, Map.of("one", cut), Set.of())))
                .isTrue();

        FenceView view = view();
        assertThat(epochsOf(view, "one")).isEmpty();
        assertThat(epochsOf(view, "two")).containsExactly(two.stamp(FILE).epoch());
    }

    @Test
    void connectionThatHasEnded_isAnErrorThatNamesThePlace() throws Exception {
        open("one");
        others.close();

        FenceView view = view();
        assertThat(epochsOf(view, "one")).isEmpty();
        assertThatThrownBy(() -> new ObjectFences(others).read())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Ceph, pool data");
    }
}
