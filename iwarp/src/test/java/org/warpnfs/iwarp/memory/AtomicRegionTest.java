package org.warpnfs.iwarp.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;
import org.warpnfs.iwarp.io.MaskedWord;
import org.warpnfs.iwarp.verbs.AccessRight;

/** Many threads execute atomic operations on one word; other accesses are refused. */
class AtomicRegionTest {
    private static final int THREADS = 4;
    private static final int ADDITIONS = 50_000;
    private static final VarHandle WORD = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final ByteBuffer memory = ByteBuffer.allocateDirect(64).alignedSlice(8);

    private static RegionTable table(long seed) {
        Quota bytes = new Quota(new Budget("bytes", 1 << 20), 1 << 20, 0);
        return new RegionTable(new StagRegistry(), new StagSource(new Random(seed)), 16, bytes, () -> true);
    }

    private Region region(ByteBuffer of) {
        return table(1).register(of, EnumSet.of(AccessRight.REMOTE_ATOMIC));
    }

    private static void inParallel(List<Runnable> tasks) throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(tasks.size())) {
            List<Future<?>> running = new ArrayList<>();
            for (Runnable task : tasks) {
                running.add(threads.submit(task));
            }
            for (Future<?> one : running) {
                one.get();
            }
        }
    }

    /**
     * An operation is either done before the region is invalid, or not at all. None is in progress when
     * {@code invalidate} returns.
     */
    @Test
    void invalidate_whileOthersExecute_nothingChangesAfterIt() throws Exception {
        for (int round = 0; round < 20; round++) {
            ByteBuffer word = ByteBuffer.allocateDirect(16).alignedSlice(8);
            Quota bytes = new Quota(new Budget("bytes", 1 << 20), 1 << 20, 0);
            Domain domain = new Domain(new StagRegistry(), new StagSource(new Random(round)), 16, bytes);
            Region region = (Region) domain.register(word, atomic());
            LongAdder done = new LongAdder();
            CountDownLatch running = new CountDownLatch(THREADS);
            List<Runnable> tasks = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                tasks.add(() -> {
                    while (region.whileValid(() -> (long) WORD.getAndAdd(word, 0, 1L))
                            .isPresent()) {
                        done.increment();
                        running.countDown();
                    }
                    running.countDown();
                });
            }
            tasks.add(() -> {
                try {
                    running.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                region.invalidate();
                long then = (long) WORD.getVolatile(word, 0);
                for (int look = 0; look < 1000; look++) {
                    assertThat((long) WORD.getVolatile(word, 0)).isEqualTo(then);
                    Thread.onSpinWait();
                }
            });
            inParallel(tasks);
            assertThat((long) WORD.getVolatile(word, 0)).isEqualTo(done.sum()).isPositive();
            assertThat(region.whileValid(() -> 1)).isEmpty();
        }
    }

    @Test
    void fetchAdd_manyStreamsAndAliases_loseNothingAndSeeEachValueOnce() throws Exception {
        Set<Long> seen = ConcurrentHashMap.newKeySet();
        List<Runnable> tasks = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            // Each stream has a table of its own, and registers another part of the memory around the same word.
            Region own = table(thread).register(memory.slice(8 * thread, 40 - 8 * thread), atomic());
            int offset = 32 - 8 * thread;
            tasks.add(() -> {
                for (int i = 0; i < ADDITIONS; i++) {
                    seen.add(own.fetchAdd(offset, MaskedWord.addend(1)));
                }
            });
        }
        inParallel(tasks);
        assertThat(seen).hasSize(THREADS * ADDITIONS);
        assertThat((long) WORD.getVolatile(memory, 32)).isEqualTo((long) THREADS * ADDITIONS);
    }

    @Test
    void fetchAdd_againstLocalInstructions_losesNothing() throws Exception {
        Region region = region(memory);
        inParallel(List.of(
                () -> {
                    for (int i = 0; i < ADDITIONS; i++) {
                        region.fetchAdd(8, new MaskedWord(0x1_0000_0001L, 0x8000_0000L));
                    }
                },
                () -> {
                    for (int i = 0; i < ADDITIONS; i++) {
                        WORD.getAndAdd(memory, 8, 1L);
                    }
                }));
        assertThat(region.fetchAdd(8, MaskedWord.addend(0))).isEqualTo(((long) ADDITIONS << 32) + 2L * ADDITIONS);
    }

    @Test
    void compareSwap_retryLoopsOfMany_loseNothing() throws Exception {
        List<Runnable> tasks = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            Region own = table(thread).register(memory, atomic());
            tasks.add(() -> {
                for (int i = 0; i < ADDITIONS / 10; i++) {
                    long guess = 0;
                    for (long found = guess + 1; found != guess; ) {
                        guess = found;
                        found = own.compareSwap(16, MaskedWord.whole(guess), MaskedWord.whole(guess + 1));
                    }
                }
            });
        }
        memory.putLong(16, 0);
        inParallel(tasks);
        assertThat((long) WORD.getVolatile(memory, 16)).isEqualTo(THREADS * (ADDITIONS / 10));
    }

    @Test
    void compareSwap_noMatch_changesNothing_match_changesTheMaskedBits() {
        Region region = region(memory);
        WORD.setVolatile(memory, 0, 0x1122334455667788L);
        assertThat(region.compareSwap(0, MaskedWord.whole(1), MaskedWord.whole(2)))
                .isEqualTo(0x1122334455667788L);
        assertThat((long) WORD.getVolatile(memory, 0)).isEqualTo(0x1122334455667788L);
        assertThat(region.compareSwap(0, new MaskedWord(0x88, 0xff), new MaskedWord(-1L, 0xff00)))
                .isEqualTo(0x1122334455667788L);
        assertThat((long) WORD.getVolatile(memory, 0)).isEqualTo(0x112233445566ff88L);
    }

    @Test
    void word_misalignedOrOutside_isRefusedAndUntouched() {
        Region region = region(memory);
        ByteBuffer before =
                ByteBuffer.allocate(memory.capacity()).put(memory.duplicate()).flip();
        for (int offset = 1; offset < 8; offset++) {
            int at = offset;
            assertThat(region.alignedForAtomics(at)).isFalse();
            assertThatThrownBy(() -> region.fetchAdd(at, MaskedWord.addend(1)))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> region.compareSwap(at, new MaskedWord(0, 0), MaskedWord.whole(1)))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> region(memory.slice(0, 12)).fetchAdd(8, MaskedWord.addend(1)))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(memory.duplicate()).isEqualTo(before);
    }

    @Test
    void alignment_isThatOfTheAddress_notOfTheOffset() {
        Region region = region(memory.slice(5, 32));
        assertThat(region.alignedForAtomics(0)).isFalse();
        assertThat(region.alignedForAtomics(3)).isTrue();
        assertThat(region.alignedForAtomics(8)).isFalse();
    }

    @Test
    void register_heapOrReadOnlyMemoryForAtomics_isRefused() {
        assertThatThrownBy(() -> region(ByteBuffer.allocate(8))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> region(memory.asReadOnlyBuffer())).isInstanceOf(IllegalArgumentException.class);
        Region heap = table(1).register(ByteBuffer.allocate(8), EnumSet.of(AccessRight.REMOTE_WRITE));
        assertThatThrownBy(() -> heap.fetchAdd(0, MaskedWord.addend(1))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void rights_areSeparate() {
        Region atomic = region(memory);
        assertThat(atomic.allowsRemoteAtomic()).isTrue();
        assertThat(atomic.allowsRemoteRead() || atomic.allowsRemoteWrite()).isFalse();
        Region rest = table(1).register(
                        memory, EnumSet.of(AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE, AccessRight.LOCAL_WRITE));
        assertThat(rest.allowsRemoteAtomic()).isFalse();
    }

    private static EnumSet<AccessRight> atomic() {
        return EnumSet.of(AccessRight.REMOTE_ATOMIC);
    }
}
