package org.warpnfs.nfs.locks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.warpnfs.fs.memory.MemoryFileSystem;
import org.warpnfs.fs.spi.FileSystem;

/** Threads that call several backends, one of which may not answer. */
@Timeout(120)
class BackendThreadsTest {
    private final FileSystem one = new MemoryFileSystem(1 << 20, 10);
    private final FileSystem other = new MemoryFileSystem(1 << 20, 10);

    @Test
    void fileSystem_thatDoesNotAnswer_delaysNoOther() throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(2 * BackendThreads.AT_ONCE)) {
            BackendThreads shared = new BackendThreads(threads);
            CountDownLatch answer = new CountDownLatch(1);
            CountDownLatch others = new CountDownLatch(10);
            CountDownLatch all = new CountDownLatch(20);
            for (int i = 0; i < 20; i++) {
                shared.execute(one, () -> {
                    try {
                        answer.await();
                        all.countDown();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
            }
            for (int i = 0; i < 10; i++) {
                shared.execute(other, others::countDown);
            }
            others.await();
            assertThat(all.getCount()).isEqualTo(20);
            answer.countDown();
            all.await();
        }
    }

    @Test
    void task_thatEndsWithAnErrorOfTheMachine_leavesTheThreadsToOthers() throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(BackendThreads.AT_ONCE)) {
            BackendThreads shared = new BackendThreads(threads);
            CountDownLatch done = new CountDownLatch(1);
            for (int i = 0; i < 2 * BackendThreads.AT_ONCE; i++) {
                shared.execute(one, () -> {
                    throw new NoClassDefFoundError("on purpose");
                });
            }
            shared.execute(one, done::countDown);
            assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
        }
    }
}
