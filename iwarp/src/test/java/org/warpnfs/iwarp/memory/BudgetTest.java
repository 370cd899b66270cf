package org.warpnfs.iwarp.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Several threads take from one budget. */
@Timeout(60)
class BudgetTest {
    private static final int ROUNDS = 1_000_000;

    @Test
    void take_whileAnotherAsksForTooMuch_isGranted() throws InterruptedException {
        Budget budget = new Budget("things", 100);
        CountDownLatch asking = new CountDownLatch(1);
        AtomicBoolean over = new AtomicBoolean();
        AtomicBoolean granted = new AtomicBoolean();
        Thread greedy = Thread.ofPlatform().start(() -> {
            while (!over.get()) {
                granted.compareAndSet(false, budget.take(101));
                asking.countDown();
            }
        });
        asking.await();
        int refused = 0;
        for (int round = 0; round < ROUNDS; round++) {
            if (budget.take(1)) {
                budget.give(1);
            } else {
                refused++;
            }
        }
        over.set(true);
        greedy.join();
        assertThat(granted).isFalse();
        assertThat(refused).isZero();
        assertThat(budget.used()).isZero();
    }

    @Test
    void take_allThatThereIs_thenNothingMoreUntilSomeIsGiven() {
        Budget budget = new Budget("things", Long.MAX_VALUE);
        assertThat(budget.take(Long.MAX_VALUE)).isTrue();
        assertThat(budget.take(1)).isFalse();
        budget.give(1);
        assertThat(budget.take(2)).isFalse();
        assertThat(budget.take(1)).isTrue();
        assertThat(budget.used()).isEqualTo(Long.MAX_VALUE);
    }
}
