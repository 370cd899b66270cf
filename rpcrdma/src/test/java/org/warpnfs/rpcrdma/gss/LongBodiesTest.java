package org.warpnfs.rpcrdma.gss;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.ietf.jgss.GSSException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LongBodiesTest {
    private static final int LONG = LongBodies.LONG_BYTES + 1;

    @Test
    void longBodies_ofManyThreads_areWorkedOnAsManyAtOnceAsThereArePlaces_shortOnesDoNotWait() throws Exception {
        LongBodies bodies = new LongBodies(2);
        CountDownLatch begun = new CountDownLatch(2);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            List<Future<Integer>> results = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                int number = i;
                results.add(threads.submit(() -> bodies.<Integer, InterruptedException>inTurn(LONG, () -> {
                    most.accumulateAndGet(running.incrementAndGet(), Math::max);
                    begun.countDown();
                    goOn.await();
                    running.decrementAndGet();
                    return number;
                })));
            }
            begun.await();
            while (bodies.waiting() < 4) {
                Thread.onSpinWait();
            }
            assertThat(bodies.<Integer, RuntimeException>inTurn(LONG - 1, () -> 7))
                    .isEqualTo(7);

            goOn.countDown();

            for (int i = 0; i < 6; i++) {
                assertThat(results.get(i).get(60, TimeUnit.SECONDS)).isEqualTo(i);
            }
        }
        assertThat(most).hasValue(2);
    }

    @Test
    void work_fails_givesItsPlaceBack() throws Exception {
        LongBodies bodies = new LongBodies(1);

        assertThatThrownBy(() -> bodies.<Integer, GSSException>inTurn(LONG, () -> {
                    throw new GSSException(GSSException.FAILURE);
                }))
                .isInstanceOf(GSSException.class);

        assertThat(bodies.<Integer, RuntimeException>inTurn(LONG, () -> 7)).isEqualTo(7);
    }
}
