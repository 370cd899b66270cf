package org.warpnfs.nfs.fence;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Fences from the metadata server that writes them to the data server that reads them. */
class PublishedFencesTest {
    private static final String NODE = "one";
    private static final int TAG = FenceStamp.tagOf(NODE);
    private static final long FILE = 7;

    private final MemoryFences store = new MemoryFences();
    private final Queue<Runnable> background = new ArrayDeque<>();
    private long nowNanos = 5;
    private long epoch;
    private int processes;
    private final PublishedFences fences = open(NODE);
    private final FenceView view = new FenceView(store, () -> nowNanos);

    private PublishedFences open(String node) {
        try {
            return PublishedFences.open(store, node, ++processes, () -> ++epoch, background::add, () -> nowNanos);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void write() {
        for (Runnable task = background.poll(); task != null; task = background.poll()) {
            task.run();
        }
    }

    private void pass(long millis) {
        nowNanos += TimeUnit.MILLISECONDS.toNanos(millis);
    }

    private List<Long> epochsOf(long file) {
        view.read();
        return view.of(TAG, false).stream().map(epochs -> epochs.of(file)).toList();
    }

    @Test
    void fence_isDoneOnlyAWindowAfterItWasWritten() {
        long before = fences.stamp(FILE).epoch();
        Fencing.Fence fence = fences.begin(FILE);
        assertThat(fences.stamp(FILE).epoch()).isNotEqualTo(before);
        assertThat(fences.stamp(8).epoch()).isEqualTo(before);
        pass(60_000);
        assertThat(fence.isDone(nowNanos)).as("not written yet").isFalse();
        assertThat(epochsOf(FILE)).containsExactly(before);

        write();

        assertThat(epochsOf(FILE)).containsExactly(fences.stamp(FILE).epoch());
        assertThat(epochsOf(8)).containsExactly(before);
        assertThat(fence.isDone(nowNanos)).isFalse();
        pass(PublishedFences.WINDOW_SECONDS * 1000 - 1);
        assertThat(fence.isDone(nowNanos)).isFalse();
        pass(1);
        assertThat(fence.isDone(nowNanos)).isTrue();
    }

    @Test
    void window_isLongerThanAViewIsUsed() {
        assertThat(TimeUnit.SECONDS.toNanos(PublishedFences.WINDOW_SECONDS)).isGreaterThan(FenceView.LEASE_NANOS);
    }

    @Test
    void fences_thatComeDuringAWrite_areWrittenAfterIt() {
        fences.begin(FILE);
        fences.begin(8);
        assertThat(background).hasSize(1);

        write();

        assertThat(epochsOf(FILE)).containsExactly(fences.stamp(FILE).epoch());
        assertThat(epochsOf(8)).containsExactly(fences.stamp(8).epoch());
    }

    @Test
    void fence_thatCannotBeWritten_isTriedAgainAsLongAsSomebodyWaits() {
        store.isBroken = true;
        Fencing.Fence fence = fences.begin(FILE);
        write();
        assertThat(fence.isDone(nowNanos)).isFalse();
        assertThat(background).as("not at once").isEmpty();
        pass(1000);
        assertThat(fence.isDone(nowNanos)).isFalse();
        assertThat(background).hasSize(1);
        store.isBroken = false;

        write();
        pass(3000);

        assertThat(fence.isDone(nowNanos)).isTrue();
        assertThat(epochsOf(FILE)).containsExactly(fences.stamp(FILE).epoch());
    }

    @Test
    void fence_whoseWriteMeetsADefect_isTriedAgainToo() {
        store.isDefective = true;
        Fencing.Fence fence = fences.begin(FILE);
        write();
        store.isDefective = false;
        pass(1000);
        assertThat(fence.isDone(nowNanos)).isFalse();

        write();
        pass(3000);

        assertThat(fence.isDone(nowNanos)).isTrue();
        assertThat(epochsOf(FILE)).containsExactly(fences.stamp(FILE).epoch());
    }

    @Test
    void process_thatStarts_endsAllLayoutsOfTheOneBefore() {
        long before = fences.stamp(FILE).epoch();

        PublishedFences next = open(NODE);

        assertThat(epochsOf(FILE)).containsExactly(next.stamp(FILE).epoch()).doesNotContain(before);
    }

    @Test
    void process_thatStops_endsAllItsLayouts() {
        fences.begin(FILE);
        write();
        List<Long> before = List.of(fences.stamp(FILE).epoch(), fences.stamp(8).epoch());

        fences.endAll();
        write();

        assertThat(epochsOf(FILE)).hasSize(1).doesNotContainAnyElementsOf(before);
        assertThat(epochsOf(8)).isEqualTo(epochsOf(FILE));
    }

    @Test
    void process_thatStopsRightAfterAFailure_doesNotPause() {
        long before = fences.stamp(8).epoch();
        store.isBroken = true;
        fences.begin(FILE);
        write();
        store.isBroken = false;

        fences.endAll();
        assertThat(fences.isBehind()).isTrue();
        write();

        assertThat(epochsOf(8)).hasSize(1).doesNotContain(before);
        assertThat(fences.isBehind()).isFalse();
    }

    @Test
    void process_thatWasTakenOver_writesNothingMore() {
        PublishedFences next = open(NODE);
        Fencing.Fence fence = fences.begin(FILE);

        write();
        pass(60_000);

        assertThat(fence.isDone(nowNanos)).isFalse();
        assertThat(epochsOf(FILE)).containsExactly(next.stamp(FILE).epoch());
    }

    /** A process may stand still at any instruction, for as long as it takes to start the next one. */
    @Test
    void process_thatIsTakenOverWhileItWrites_writesNothing() {
        List<PublishedFences> next = new ArrayList<>();
        store.beforeWrite = () -> {
            store.beforeWrite = () -> {};
            next.add(open(NODE));
        };
        Fencing.Fence late = fences.begin(FILE);

        write();
        pass(60_000);

        assertThat(late.isDone(nowNanos)).isFalse();
        assertThat(epochsOf(FILE)).containsExactly(next.getFirst().stamp(FILE).epoch());
        Fencing.Fence its = next.getFirst().begin(FILE);
        write();
        pass(3000);
        assertThat(its.isDone(nowNanos)).as("that of the next process").isTrue();
        assertThat(epochsOf(FILE)).containsExactly(next.getFirst().stamp(FILE).epoch());
    }

    @Test
    void view_thatIsTooOld_knowsNothing() {
        assertThat(view.of(TAG, false)).as("not read yet").isNull();
        view.read();
        store.isBroken = true;
        pass(1999);
        view.read();
        assertThat(view.of(TAG, false)).hasSize(1);
        assertThat(view.of(TAG + 1, false)).as("another server").isEmpty();

        pass(1);

        assertThat(view.of(TAG, false)).isNull();
        assertThat(view.of(TAG, true)).as("nobody reads").isNull();
    }

    @Test
    void view_ofATextThatIsBeingWritten_keepsTheOneBeforeForAsLong() {
        view.read();
        store.put(NODE, new byte[] {'w'});
        pass(1999);
        view.read();
        assertThat(view.of(TAG, false)).hasSize(1);

        pass(1);

        assertThat(view.of(TAG, false)).isNull();
    }

    /** Otherwise each call with a handle that somebody has made up would read the store. */
    @Test
    void view_ofAStoreWithoutServers_knowsThatThereIsNone() {
        FenceView empty = new FenceView(new MemoryFences(), () -> nowNanos);

        empty.read();

        assertThat(empty.of(TAG, false)).isEmpty();
    }

    @Test
    void view_thatBeginsWhileATextIsWritten_doesNotTakeItForNone() {
        open("two");
        store.put(NODE, new byte[] {'w'});

        view.read();

        assertThat(view.of(TAG, false)).isNull();
        assertThat(view.of(FenceStamp.tagOf("two"), false)).hasSize(1);
    }

    @Test
    void view_withAThread_readsWhenItIsAsked() {
        try (FenceView reading = FenceView.reading(store)) {
            List<FenceEpochs> known = null;
            while (known == null) {
                known = reading.of(TAG, true);
            }
            assertThat(known).hasSize(1);
        }
    }
}
