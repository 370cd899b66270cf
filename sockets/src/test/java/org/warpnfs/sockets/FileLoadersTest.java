package org.warpnfs.sockets;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.warpnfs.limits.ClientAddress;

/** Loads run, whatever happens to threads and to other loads. */
@Timeout(240)
class FileLoadersTest {
    private static final int WAIT_SECONDS = 60;

    /** How many threads the system still has. */
    private final AtomicInteger free = new AtomicInteger();

    private final Executor threads = task -> {
        if (free.getAndDecrement() <= 0) {
            free.incrementAndGet();
            throw new OutOfMemoryError("no thread, for a test");
        }
        Thread.ofPlatform().daemon().start(() -> {
            try {
                task.run();
            } finally {
                free.incrementAndGet();
            }
        });
    };

    private final FileLoaders loaders = new FileLoaders(threads);
    private final CountDownLatch disk = new CountDownLatch(1);
    private final AtomicInteger runs = new AtomicInteger();
    private final List<Throwable> refusals = Collections.synchronizedList(new ArrayList<>());

    @AfterEach
    void open() {
        disk.countDown();
    }

    /** Waits for the disk. */
    private class Waiting implements FileLoaders.Load {
        @Override
        public void run() {
            runs.incrementAndGet();
            try {
                disk.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void refused(Throwable cause) {
            refusals.add(cause);
        }
    }

    private static FileLoaders.Share share(Object store) {
        return new FileLoaders.Share(ClientAddress.NONE, store);
    }

    private void awaitRuns(int count) throws InterruptedException {
        long start = System.nanoTime();
        while (runs.get() < count && System.nanoTime() - start < TimeUnit.SECONDS.toNanos(WAIT_SECONDS)) {
            Thread.sleep(1);
        }
        assertThat(runs).hasValue(count);
    }

    private boolean isHeldAfterAll(Object store) throws InterruptedException {
        long start = System.nanoTime();
        while (loaders.isHeld(store, 0) && System.nanoTime() - start < TimeUnit.SECONDS.toNanos(WAIT_SECONDS)) {
            Thread.sleep(1);
        }
        return loaders.isHeld(store, 0);
    }

    @Test
    void threads_usedUp_loadsWaitForThoseThatRun() throws Exception {
        free.set(2);
        int loads = 3 * FileLoaders.MOST;
        for (int i = 0; i < loads; i++) {
            loaders.execute(share(i % FileLoaders.MOST), new Waiting());
        }
        assertThat(refusals).isEmpty();
        awaitRuns(2);
        disk.countDown();
        awaitRuns(loads);
        assertThat(refusals).isEmpty();
    }

    @Test
    void threads_comeBack_loadsThatWaitBeginWithTheNext() throws Exception {
        free.set(1);
        loaders.execute(share(1), new Waiting());
        loaders.execute(share(2), new Waiting());
        assertThat(refusals).isEmpty();
        free.set(2);
        loaders.execute(share(3), new Waiting());
        awaitRuns(3);
    }

    @Test
    void noThread_atAll_loadIsRefusedAndLeavesNothing() throws Exception {
        loaders.execute(share(1), new Waiting());
        assertThat(refusals).hasSize(1);
        assertThat(loaders.isHeld(1, 0)).isFalse();
        free.set(1);
        loaders.execute(share(1), new Waiting());
        awaitRuns(1);
    }

    @Test
    void loads_thatThrow_keepNoPlace() throws Exception {
        free.set(FileLoaders.MOST);
        int loads = 3 * FileLoaders.USUAL;
        for (int i = 0; i < loads; i++) {
            loaders.execute(share(1), new Waiting() {
                @Override
                public void run() {
                    super.run();
                    throw new AssertionError("a defect, for a test");
                }
            });
        }
        disk.countDown();
        awaitRuns(loads);
        assertThat(isHeldAfterAll(1)).isFalse();
    }

    @Test
    void refusal_throws_nothingElseDoes() throws Exception {
        loaders.execute(share(1), new Waiting() {
            @Override
            public void refused(Throwable cause) {
                super.refused(cause);
                throw new AssertionError("a defect, for a test");
            }
        });
        assertThat(refusals).hasSize(1);
    }
}
