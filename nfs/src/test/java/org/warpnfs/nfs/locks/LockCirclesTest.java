package org.warpnfs.nfs.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.nfs.locks.NamedLocks.file;
import static org.warpnfs.nfs.locks.NamedLocks.here;
import static org.warpnfs.nfs.locks.NamedLocks.owner;
import static org.warpnfs.nfs.locks.NamedLocks.range;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Owners that would wait for themselves, and those that only seem to. */
class LockCirclesTest {
    private final NamedLocks locks = new NamedLocks();
    private final LockService service = locks.service();

    @Test
    void lockOrWait_circleOverTwoFiles_isADeadlock() throws LocksBusyException {
        locks.take(1, "a", true, range(0, 9));
        locks.take(2, "b", true, range(0, 9));
        locks.take(3, "c", true, range(0, 9));
        assertThat(locks.await(2, "a", true, range(0, 0))).isEqualTo(LockAttempt.Outcome.WAITING);
        assertThat(locks.await(3, "b", false, range(0, 0))).isEqualTo(LockAttempt.Outcome.WAITING);

        assertThat(locks.await(1, "c", true, range(3, 4))).isEqualTo(LockAttempt.Outcome.DEADLOCK);
        assertThat(locks.await(1, "d", true, range(3, 4))).isEqualTo(LockAttempt.Outcome.WAITING);

        service.cancel(file(3), owner("b"), false, range(0, 0));
        assertThat(locks.await(1, "c", true, range(3, 4))).isEqualTo(LockAttempt.Outcome.WAITING);
    }

    /** A client of NFSv4 asks again and again, and does not say when it has given up. */
    @Test
    void waiter_thatAsksAgain_closesACircleAsLongAsItHasAskedOfLate() throws LocksBusyException {
        locks.take(1, "a", true, range(0, 9));
        locks.take(1, "b", true, range(10, 19));
        locks.ask("a", true, range(10, 10));

        assertThat(service.wouldWaitForItself(here(1), owner("b"), true, range(0, 0)))
                .isTrue();
        assertThat(service.wouldWaitForItself(here(1), owner("c"), true, range(0, 0)))
                .isFalse();

        locks.pass(Duration.ofSeconds(30));
        locks.ask("a", true, range(10, 10));
        locks.pass(Duration.ofSeconds(30));
        assertThat(service.wouldWaitForItself(here(1), owner("b"), true, range(0, 0)))
                .isTrue();

        locks.pass(Duration.ofSeconds(30));
        assertThat(service.wouldWaitForItself(here(1), owner("b"), true, range(0, 0)))
                .as("it has given up")
                .isFalse();
    }

    @Test
    void lockOrWait_holderWaitsBehindOneWhoWaitsForIt_isNoCircle() throws LocksBusyException {
        locks.take(1, "a", true, range(0, 9));
        locks.take(1, "b", true, range(20, 29));
        assertThat(locks.await(1, "c", true, range(0, 40))).isEqualTo(LockAttempt.Outcome.WAITING);

        assertThat(locks.await(1, "b", true, range(0, 9)))
                .as("a waits for nobody")
                .isEqualTo(LockAttempt.Outcome.WAITING);
        locks.unlockAll(1, "a");
        assertThat(locks.toldNow()).containsExactly("b");
        locks.unlockAll(1, "b");
        assertThat(locks.toldNow()).containsExactly("c");
    }

    @Test
    void lockInTurn_mayHaveGivenUp_closesNoCircle() throws LocksBusyException {
        locks.take(1, "a", true, range(0, 0));
        locks.take(1, "b", true, range(1, 1));
        locks.ask("a", true, range(1, 1));
        locks.pass(Duration.ofMinutes(1));

        assertThat(locks.await(1, "b", true, range(0, 0))).isEqualTo(LockAttempt.Outcome.WAITING);
    }
}
