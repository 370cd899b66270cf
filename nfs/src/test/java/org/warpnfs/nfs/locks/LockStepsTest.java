package org.warpnfs.nfs.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.nfs.locks.NamedLocks.ANN;
import static org.warpnfs.nfs.locks.NamedLocks.file;
import static org.warpnfs.nfs.locks.NamedLocks.here;
import static org.warpnfs.nfs.locks.NamedLocks.owner;
import static org.warpnfs.nfs.locks.NamedLocks.range;

import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.warpnfs.limits.ClientAddress;

/**
 * What one call costs when others have filled a file with locks and with requests in line: counted in steps, each of
 * which looks at one lock or one request.
 */
class LockStepsTest {
    private static final int HOLDERS = 32 * 1024;
    private static final int WAITERS = 1024;
    private static final ClientAddress BOB = ClientAddress.of(new InetSocketAddress("10.0.0.2", 700));

    private final NamedLocks locks = new NamedLocks(4 * WAITERS);
    private final LockService service = locks.service();

    private LockAttempt.Outcome awaitByBob(String owner, ByteRange range) throws LocksBusyException {
        return service.lockOrWait(here(1), owner(owner), true, range, BOB, locks.tells(owner))
                .outcome();
    }

    /** One owner with a long range, and many with a byte each: none of these is in the way of who waits. */
    private void fillWithHolders() throws LocksBusyException {
        locks.take(1, "hub", true, range(1 << 20, 2 << 20));
        for (int i = 0; i < HOLDERS; i++) {
            locks.take(1, "holder" + i, true, range(i, i));
        }
    }

    @Test
    void search_amongAllHoldersAndWaiters_takesABoundedNumberOfSteps() throws LocksBusyException {
        fillWithHolders();
        for (int i = 0; i < WAITERS; i++) {
            assertThat(locks.await(1, "waiter" + i, true, range((1 << 20) + i, 2 << 20)))
                    .isEqualTo(LockAttempt.Outcome.WAITING);
        }
        long before = service.steps();

        LockAttempt.Outcome last = awaitByBob("last", range(2 << 20, 2 << 20));

        assertThat(last).isEqualTo(LockAttempt.Outcome.WAITING);
        assertThat(service.steps() - before).isBetween((long) WAITERS, 20_000L);
    }

    @Test
    void search_rangeOfManyWhoWaitForAnother_takesABoundedNumberOfSteps() throws LocksBusyException {
        fillWithHolders();
        for (int i = 0; i < WAITERS; i++) {
            locks.await(1, "holder" + i, true, range(1 << 20, 2 << 20));
        }
        long before = service.steps();

        boolean closes = service.wouldWaitForItself(here(1), owner("hub"), true, range(0, 0));

        assertThat(closes).as("a circle of two is found at once").isTrue();
        assertThat(service.steps() - before).isLessThan(20_000);
    }

    @Test
    void release_manyInLine_looksAtAPortionAndTheRestFollows() throws LocksBusyException {
        locks.take(1, "hub", true, range(0, 1 << 20));
        locks.take(1, "other", true, range(1 << 21, 1 << 21));
        for (int i = 0; i < WAITERS; i++) {
            locks.await(1, "waiter" + i, true, range(i, i));
        }
        long before = service.steps();

        locks.unlockAll(1, "hub");

        assertThat(service.steps() - before).isLessThan(20_000);
        for (int i = 0; i < WAITERS && service.waiting() > 0; i++) {
            locks.toldNow();
        }
        assertThat(service.waiting()).isZero();
        assertThat(service.countOf(file(1), owner("waiter" + (WAITERS - 1)))).isEqualTo(1);
    }

    /** Each that is free now stands behind one at the end of the line alone. */
    @Test
    void release_manyBehindOne_takesABoundedNumberOfSteps() throws LocksBusyException {
        locks.take(1, "hub", true, range(0, 1 << 20));
        for (int i = 0; i < WAITERS / 2; i++) {
            locks.await(1, "blocked" + i, true, range(i, i));
        }
        locks.await(1, "wide", true, range(1 << 19, 1 << 21));
        for (int i = 0; i < WAITERS / 2; i++) {
            locks.await(1, "behind" + i, true, range((1 << 20) + 1 + i, (1 << 20) + 1 + i));
        }
        long before = service.steps();

        locks.unlock(1, "hub", range(1 << 18, 1 << 18));

        assertThat(service.steps() - before).isLessThan(20_000);
        assertThat(service.lockOrWait(here(1), owner("late"), true, range(1 << 22, 1 << 22), ANN, locks.tells("late"))
                        .outcome())
                .isEqualTo(LockAttempt.Outcome.GRANTED);
    }

    /** All who wait are of another address. */
    @Test
    void client_leaves_looksAtNobodyElsesRequests() throws LocksBusyException {
        locks.take(1, "hub", true, range(0, 1 << 20));
        for (int i = 0; i < WAITERS; i++) {
            locks.await(1, "waiter" + i, true, range(i, i));
        }
        assertThat(awaitByBob("bob", range(0, 0))).isEqualTo(LockAttempt.Outcome.WAITING);
        long before = service.steps();

        service.giveUpAll(BOB, owner("bob")::equals);

        assertThat(service.waiting()).isEqualTo(WAITERS);
        assertThat(service.steps() - before).isLessThan(20_000);
        before = service.steps();
        service.giveUpAll(BOB, owner("bob")::equals);
        assertThat(service.steps() - before).isZero();
    }
}
