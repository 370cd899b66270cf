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

/** What is granted, what stands in line, and in which order those in line are served. */
class LockServiceTest {
    private static final ClientAddress BOB = ClientAddress.of(new InetSocketAddress("10.0.0.2", 700));

    private final NamedLocks locks = new NamedLocks();
    private final LockService service = locks.service();

    @Test
    void lock_heldByAnother_isDeniedWithTheHolder() throws LocksBusyException {
        assertThat(locks.take(1, "a", true, range(0, 9)).more()).isEqualTo(1);

        LockAttempt second = locks.take(1, "b", false, range(9, 20));

        assertThat(second.outcome()).isEqualTo(LockAttempt.Outcome.DENIED);
        assertThat(second.holder()).isEqualTo(new HeldLock(owner("a"), true, range(0, 9)));
        assertThat(locks.take(2, "b", true, range(0, 9)).isGranted())
                .as("another file")
                .isTrue();
    }

    @Test
    void unlock_severalWait_areGrantedInTheirOrder() throws LocksBusyException {
        locks.take(1, "a", true, range(0, 9));
        assertThat(locks.await(1, "b", true, range(0, 4))).isEqualTo(LockAttempt.Outcome.WAITING);
        assertThat(locks.await(1, "c", false, range(3, 6))).isEqualTo(LockAttempt.Outcome.WAITING);
        assertThat(locks.await(1, "d", false, range(5, 6))).isEqualTo(LockAttempt.Outcome.WAITING);
        assertThat(locks.toldNow()).isEmpty();

        assertThat(locks.unlock(1, "a", range(0, 9))).isEqualTo(-1);

        assertThat(locks.told()).as("told by the executor alone").isEmpty();
        assertThat(locks.toldNow()).as("c is behind b, d conflicts with nobody").containsExactly("b", "d");

        locks.unlockAll(1, "b");
        assertThat(locks.toldNow()).containsExactly("c");
        assertThat(service.waiting()).isZero();
    }

    @Test
    void lockOrWait_freeButAnEarlierOneWaits_standsBehindIt() throws LocksBusyException {
        locks.take(1, "reader", false, range(0, 9));
        locks.await(1, "writer", true, range(0, 9));

        assertThat(locks.await(1, "late", false, range(0, 9))).isEqualTo(LockAttempt.Outcome.WAITING);
        assertThat(locks.take(1, "quick", false, range(0, 9)).isGranted())
                .as("who does not wait minds held locks alone")
                .isTrue();

        locks.unlockAll(1, "reader");
        locks.unlockAll(1, "quick");
        assertThat(locks.toldNow()).containsExactly("writer");
    }

    @Test
    void lockOrWait_holderAsksForMore_doesNotStandBehindThoseWhoWaitForIt() throws LocksBusyException {
        locks.take(1, "a", false, range(0, 9));
        locks.await(1, "b", true, range(0, 9));

        assertThat(locks.await(1, "a", false, range(5, 20))).isEqualTo(LockAttempt.Outcome.GRANTED);
    }

    @Test
    void cancel_inLine_isNotGrantedAndLetsOthersPass() throws LocksBusyException {
        locks.take(1, "a", false, range(0, 9));
        locks.await(1, "b", true, range(0, 9));
        locks.await(1, "c", false, range(0, 9));

        assertThat(service.cancel(file(1), owner("b"), true, range(0, 8))).isFalse();
        assertThat(service.cancel(file(1), owner("b"), true, range(0, 9))).isTrue();

        assertThat(locks.toldNow()).containsExactly("c");
        locks.unlockAll(1, "a");
        locks.unlockAll(1, "c");
        assertThat(locks.toldNow()).isEmpty();
        assertThat(service.files()).isZero();
    }

    @Test
    void lockOrWait_repeated_keepsItsPlaceAndTellsTheLastWaiter() throws LocksBusyException {
        locks.take(1, "a", true, range(0, 9));
        locks.await(1, "b", true, range(0, 9));
        locks.await(1, "c", true, range(0, 9));

        service.lockOrWait(here(1), owner("b"), true, range(0, 9), ANN, locks.tells("b again"));
        assertThat(service.waiting()).isEqualTo(2);

        locks.unlockAll(1, "a");
        assertThat(locks.toldNow()).containsExactly("b again");
    }

    @Test
    void lockOrWait_oneClientFillsTheLines_leavesRoomForAnother() throws LocksBusyException {
        locks.take(1, "a", true, range(0, 0));
        int stood = 0;
        while (locks.await(1, "hog" + stood, true, range(0, 0)) == LockAttempt.Outcome.WAITING) {
            stood++;
        }

        assertThat(stood).isEqualTo(50);
        assertThat(service.lockOrWait(here(1), owner("other"), true, range(0, 0), BOB, () -> {})
                        .outcome())
                .isEqualTo(LockAttempt.Outcome.WAITING);
    }

    /** It holds a part before its turn has come, so who is before it would wait for it in vain. */
    @Test
    void waiter_gotAPartWithoutWaiting_doesNotStandBehindThoseWhoWaitForThatPart() throws LocksBusyException {
        locks.take(1, "a", true, range(0, 9));
        locks.await(1, "c", true, range(0, 9));
        locks.await(1, "b", true, range(2, 5));
        locks.unlock(1, "a", range(2, 3));
        assertThat(locks.take(1, "b", true, range(2, 3)).isGranted()).isTrue();

        locks.unlockAll(1, "a");

        assertThat(locks.toldNow()).containsExactly("b");
        locks.unlockAll(1, "b");
        assertThat(locks.toldNow()).containsExactly("c");
    }

    @Test
    void waiter_becomesAHolderWhileItsRangeIsFree_isGranted() throws LocksBusyException {
        locks.take(1, "a", true, range(0, 9));
        locks.await(1, "c", true, range(0, 9));
        locks.await(1, "b", true, range(2, 5));
        locks.unlock(1, "a", range(2, 5));
        assertThat(locks.toldNow()).as("b is behind c").isEmpty();

        locks.take(1, "b", true, range(2, 3));

        assertThat(locks.toldNow()).containsExactly("b");
    }

    @Test
    void downgrade_readerWaits_isGranted() throws LocksBusyException {
        locks.take(1, "a", true, range(0, 9));
        locks.await(1, "b", false, range(2, 3));

        locks.take(1, "a", false, range(0, 5));

        assertThat(locks.toldNow()).containsExactly("b");
    }
}
