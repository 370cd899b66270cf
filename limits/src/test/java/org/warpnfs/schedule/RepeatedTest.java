package org.warpnfs.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of a task that throws. */
@Timeout(60)
class RepeatedTest {
    private static final Duration BETWEEN = Duration.ofMillis(1);

    private final BlockingQueue<Throwable> heard = new LinkedBlockingQueue<>();
    private volatile boolean handlerFails;
    private final ScheduledExecutorService threads = Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform()
            .daemon()
            .uncaughtExceptionHandler((thread, defect) -> {
                heard.add(defect);
                if (handlerFails) {
                    throw new IllegalStateException("for a test: the handler");
                }
            })
            .factory());

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    private interface Schedule {
        ScheduledFuture<?> begin(ScheduledExecutorService threads, Duration between, Runnable task);
    }

    private static final List<Schedule> SCHEDULES = List.of(Repeated::afterPauses, Repeated::inPeriods);

    /** Throws as often as there are defects, and then runs well. */
    private void assertGoesOn(Schedule schedule, Throwable... defects) throws Exception {
        List<Throwable> thrown = List.of(defects);
        CountDownLatch well = new CountDownLatch(thrown.size() + 2);
        ScheduledFuture<?> scheduled = schedule.begin(threads, BETWEEN, () -> {
            int run = (int) (thrown.size() + 2 - well.getCount());
            well.countDown();
            if (run < thrown.size()) {
                RepeatedTest.<RuntimeException>raise(thrown.get(run));
            }
        });
        well.await();
        scheduled.cancel(false);

        for (Throwable defect : thrown) {
            assertThat(heard.poll(1, TimeUnit.MINUTES)).isSameAs(defect);
        }
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void raise(Throwable any) throws T {
        throw (T) any;
    }

    @Test
    void task_thatThrows_runsAgainAndItsDefectIsHeardOf() throws Exception {
        for (Schedule schedule : SCHEDULES) {
            assertGoesOn(schedule, new IllegalStateException("for a test"), new NoClassDefFoundError("for a test"));
        }
    }

    @Test
    void task_whoseDefectNobodyCanHearOf_runsAgain() throws Exception {
        handlerFails = true;
        for (Schedule schedule : SCHEDULES) {
            assertGoesOn(schedule, new OutOfMemoryError("for a test"));
        }
    }

    @Test
    void task_ofAnExecutorThatIsShutDown_runsNoMore() throws Exception {
        CountDownLatch ran = new CountDownLatch(1);
        ScheduledFuture<?> scheduled = Repeated.afterPauses(threads, BETWEEN, ran::countDown);
        ran.await();

        threads.shutdown();

        assertThat(threads.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
        assertThat(scheduled.isCancelled()).isTrue();
    }
}
