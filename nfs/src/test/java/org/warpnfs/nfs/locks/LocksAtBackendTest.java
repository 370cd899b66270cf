package org.warpnfs.nfs.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.nfs.locks.NamedLocks.ANN;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.warpnfs.fs.local.DescriptorBudget;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.OwnerLocks;
import org.warpnfs.limits.ClientAddress;

/** Locks that are taken on a file of the host too. Another server of the same directory plays somebody else. */
@Timeout(120)
class LocksAtBackendTest extends LocksAtBackendFixture {
    private static final class Owner implements Locker {
        private final String name;
        private volatile boolean gone;

        Owner(String name) {
            this.name = name;
        }

        @Override
        public boolean isGone() {
            return gone;
        }

        @Override
        public ClientAddress address() {
            return ANN;
        }

        @Override
        public byte[] name() {
            return name.getBytes(StandardCharsets.US_ASCII);
        }
    }

    private final Owner a = new Owner("a");
    private final Owner b = new Owner("b");

    private LockAttempt.Outcome waitFor(Owner owner, boolean exclusive, ByteRange range) throws LocksBusyException {
        LockAttempt attempt = service.lockOrWait(file, owner, exclusive, range, ANN, () -> told.add(owner.name));
        Reservation reservation = attempt.reservation();
        return (reservation == null ? attempt : reservation.settle()).outcome();
    }

    private void timersRunOut() {
        runAll(timers);
        runAll(work);
    }

    @Test
    void lock_ofAClient_keepsSomebodyElseOutUntilItIsReleased() throws Exception {
        assertThat(lock(a, true, range(10, 19)).isGranted()).isTrue();
        try (OwnerLocks other = somebodyElse()) {
            assertThat(other.tryLock(false, 15, 15)).isPresent();
            assertThat(lock(a, false, range(10, 14)).isGranted()).isTrue();
            assertThat(other.tryLock(false, 10, 14)).isEmpty();
            unlock(a, range(17, 17));
            assertThat(other.tryLock(true, 17, 17)).isEmpty();
            assertThat(other.tryLock(true, 16, 16)).isPresent();
            int _ = service.unlockAll(file.identity(), a, Runnable::run);
            assertThat(other.tryLock(true, 0, OwnerLocks.TO_EOF)).isEmpty();
        }
        assertThat(service.files()).isZero();
    }

    @Test
    void lockOfSomebodyElse_isToldAsTheHolder_andWhatWasThereStays() throws Exception {
        assertThat(lock(a, false, range(0, 99)).isGranted()).isTrue();
        try (OwnerLocks other = somebodyElse()) {
            assertThat(other.tryLock(false, 20, 29)).isEmpty();
            LockAttempt denied = lock(a, true, range(10, 49));
            assertThat(denied.outcome()).isEqualTo(LockAttempt.Outcome.DENIED);
            assertThat(denied.holder()).isEqualTo(new HeldLock(new HostProcess(0), false, range(20, 29)));
            assertThat(service.of(file.identity(), a, 9)).containsExactly(new HeldLock(a, false, range(0, 99)));
            assertThat(service.conflictAtBackend(file, b, true, range(25, 25)))
                    .isEqualTo(new HeldLock(new HostProcess(0), false, range(20, 29)));
            assertThat(service.conflictAtBackend(file, b, false, range(25, 25))).isNull();
        }
        assertThat(canLock(false, 50)).as("a has it shared still").isTrue();
        assertThat(canLock(true, 50)).isFalse();
    }

    @Test
    void waiter_forALockOfSomebodyElse_isTriedAgainAndGranted() throws Exception {
        try (OwnerLocks other = somebodyElse()) {
            assertThat(other.tryLock(true, 0, 9)).isEmpty();
            assertThat(waitFor(a, true, range(0, 9))).isEqualTo(LockAttempt.Outcome.WAITING);
            assertThat(waitFor(b, true, range(0, 9))).isEqualTo(LockAttempt.Outcome.WAITING);
            for (int round = 0; round < 5; round++) {
                timersRunOut();
                assertThat(timers).as("one trial for the file").hasSize(1);
                assertThat(toldNow()).isEmpty();
            }
        }
        timersRunOut();
        assertThat(toldNow()).containsExactly("a");
        assertThat(canLock(true, 0)).isFalse();
        unlock(a, ALL);
        assertThat(toldNow()).containsExactly("b");
        unlock(b, ALL);
        timersRunOut();
        assertThat(timers).isEmpty();
        assertThat(service.waiting()).isZero();
        assertThat(service.files()).isZero();
    }

    @Test
    void waiterThatAsksAgain_forALockOfSomebodyElse_isToldWhenItIsGone() throws Exception {
        try (OwnerLocks other = somebodyElse()) {
            assertThat(other.tryLock(true, 0, 9)).isEmpty();
            assertThat(inTurn(a)).isEqualTo(LockAttempt.Outcome.DENIED);
            timersRunOut();
            assertThat(toldNow()).isEmpty();
        }
        timersRunOut();
        assertThat(toldNow()).containsExactly("a");
        assertThat(inTurn(a)).isEqualTo(LockAttempt.Outcome.GRANTED);
        assertThat(toldNow()).as("who asks hears the answer").isEmpty();
    }

    private LockAttempt.Outcome inTurn(Owner owner) throws LocksBusyException {
        LockAttempt attempt = service.lockInTurn(file, owner, true, range(0, 9), ANN, () -> told.add(owner.name));
        Reservation reservation = attempt.reservation();
        return (reservation == null ? attempt : reservation.settle()).outcome();
    }

    @Test
    void waiterThatAsksAgain_gotItWithoutWaiting_leavesTheLine() throws Exception {
        try (OwnerLocks other = somebodyElse()) {
            assertThat(other.tryLock(true, 0, 9)).isEmpty();
            assertThat(inTurn(a)).isEqualTo(LockAttempt.Outcome.DENIED);
        }

        assertThat(lock(a, true, ALL).isGranted()).isTrue();

        assertThat(service.waiting()).isZero();
        timersRunOut();
        assertThat(toldNow()).isEmpty();
    }

    @Test
    void waiterThatAsksAgain_gotItInParts_leavesTheLineWithTheLastOne() throws Exception {
        try (OwnerLocks other = somebodyElse()) {
            assertThat(other.tryLock(true, 0, 9)).isEmpty();
            assertThat(inTurn(a)).isEqualTo(LockAttempt.Outcome.DENIED);
        }

        assertThat(lock(a, true, range(4, 9)).isGranted()).isTrue();
        assertThat(lock(a, false, range(0, 3)).isGranted()).isTrue();
        assertThat(service.waiting()).isEqualTo(1);
        assertThat(lock(a, true, range(0, 3)).isGranted()).isTrue();

        assertThat(service.waiting()).isZero();
        timersRunOut();
        assertThat(toldNow()).isEmpty();
    }

    /** The last part is released while it is on its way to the backend, so the owner does not have all of it. */
    @Test
    void waiterThatAsksAgain_releasesAPartThatIsOnItsWay_staysInLine() throws Exception {
        try (OwnerLocks other = somebodyElse()) {
            assertThat(other.tryLock(true, 0, 9)).isEmpty();
            assertThat(inTurn(a)).isEqualTo(LockAttempt.Outcome.DENIED);
        }

        assertThat(lock(a, true, range(4, 9)).isGranted()).isTrue();
        Reservation last = service.lock(file, a, true, range(0, 3)).reservation();
        unlock(a, range(2, 2));
        assertThat(last.settle().isGranted()).isTrue();

        assertThat(service.waiting()).isEqualTo(1);
    }

    @Test
    void waiter_thatCancels_getsNothingAtTheBackend() throws Exception {
        try (OwnerLocks other = somebodyElse()) {
            assertThat(other.tryLock(true, 0, 9)).isEmpty();
            assertThat(waitFor(a, true, range(0, 9))).isEqualTo(LockAttempt.Outcome.WAITING);
        }
        runAll(timers);
        assertThat(service.cancel(file.identity(), a, true, range(0, 9))).isTrue();
        runAll(work);
        assertThat(toldNow()).isEmpty();
        assertThat(canLock(true, 0)).isTrue();
        timersRunOut();
        assertThat(service.files()).isZero();
    }

    @Test
    void lock_reservedWhileItsOwnerIsReleased_isGivenBack() throws Exception {
        Reservation reservation = service.lock(file, a, true, ALL).reservation();
        assertThat(service.lock(file, a, false, ALL).outcome()).isEqualTo(LockAttempt.Outcome.BUSY);
        int _ = service.unlockAll(file.identity(), a, Runnable::run);
        assertThat(reservation.settle().outcome()).isEqualTo(LockAttempt.Outcome.CANCELLED);
        assertThat(reservation.await(0)).isTrue();
        assertThat(canLock(true, 0)).isTrue();
        assertThat(service.files()).isZero();
    }

    /** Nobody has released the locks of a client that was removed yet, but they do not count. */
    @Test
    void lockOfAnOwnerThatIsGone_isNotInTheWay() throws Exception {
        assertThat(lock(a, true, ALL).isGranted()).isTrue();
        a.gone = true;
        assertThat(lock(b, true, ALL).isGranted()).isTrue();
        int _ = service.unlockAll(file.identity(), a, Runnable::run);
        assertThat(canLock(false, 0)).isFalse();
        unlock(b, ALL);
        assertThat(canLock(true, 0)).isTrue();
    }

    @Test
    void owners_beyondTheirNumber_areRefused() throws Exception {
        service = service(2);
        assertThat(lock(a, false, ALL).isGranted()).isTrue();
        LockAttempt refused = lock(b, false, ALL);
        assertThat(refused.outcome()).isEqualTo(LockAttempt.Outcome.FAILED);
        assertThat(refused.failure().error()).isEqualTo(FsError.NO_LOCKS);
        unlock(a, ALL);
        assertThat(lock(b, false, ALL).isGranted()).isTrue();
    }

    @Test
    void ranges_beyondTheOffsetsOfTheHost_areLockedHereAlone() throws Exception {
        assertThat(lock(a, true, range(Long.MIN_VALUE, -1)).isGranted()).isTrue();
        assertThat(lock(a, true, range(5, -1)).isGranted()).isTrue();
        assertThat(canLock(true, 4)).isTrue();
        assertThat(canLock(true, Long.MAX_VALUE - 1)).isFalse();
        unlock(a, range(6, Long.MAX_VALUE - 1));
        assertThat(canLock(true, 6)).isTrue();
        assertThat(canLock(true, 5)).isFalse();
        unlock(a, ALL);
        assertThat(service.files()).isZero();
    }

    /** Threads as clients and one as somebody else: whoever has a lock is alone, and in the end nobody has one. */
    @Test
    void locks_ofManyThreadsAtRandom_excludeEachOtherAndLeaveNothing() throws Exception {
        long seed = new Random().nextLong();
        ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
        int bytes = 8;
        List<AtomicReference<Object>> holders = new ArrayList<>();
        for (int i = 0; i < bytes; i++) {
            holders.add(new AtomicReference<>());
        }
        int descriptors = DescriptorBudget.ofProcess().usedByFiles();
        LockService shared = new LockService(100, Runnable::run, BackendLocking.on(Runnable::run, 100));
        AtomicBoolean granted = new AtomicBoolean();
        List<Thread> threads = new ArrayList<>();
        for (int number = 0; number < 5; number++) {
            Random random = new Random(seed + number);
            Owner owner = new Owner("o" + number);
            boolean isElse = number == 0;
            threads.add(Thread.ofPlatform().start(() -> {
                try (OwnerLocks other = somebodyElse()) {
                    for (int step = 0; step < 1500; step++) {
                        int first = random.nextInt(bytes);
                        int last = first + random.nextInt(bytes - first);
                        boolean locked;
                        if (isElse) {
                            locked = other.tryLock(true, first, last).isEmpty();
                        } else {
                            LockAttempt attempt = shared.lock(file, owner, true, range(first, last));
                            Reservation reservation = attempt.reservation();
                            locked = (reservation == null ? attempt : reservation.settle()).isGranted();
                            granted.compareAndSet(false, locked);
                        }
                        if (!locked) {
                            continue;
                        }
                        for (int at = first; at <= last; at++) {
                            assertThat(holders.get(at).getAndSet(owner)).isNull();
                        }
                        for (int at = first; at <= last; at++) {
                            assertThat(holders.get(at).getAndSet(null)).isSameAs(owner);
                        }
                        if (isElse) {
                            other.unlock(first, last);
                        } else if (random.nextBoolean()) {
                            int _ = shared.unlock(file.identity(), owner, range(first, last), Runnable::run);
                        } else {
                            int _ = shared.unlockAll(file.identity(), owner, Runnable::run);
                        }
                    }
                } catch (Throwable e) {
                    failures.add(e);
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(failures).as("seed %d", seed).isEmpty();
        assertThat(granted).isTrue();
        assertThat(shared.files()).as("seed %d", seed).isZero();
        assertThat(canLock(true, 0)).isTrue();
        assertThat(DescriptorBudget.ofProcess().usedByFiles()).isEqualTo(descriptors);
    }
}
