package org.warpnfs.nfs.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.nfs.locks.NamedLocks.ANN;
import static org.warpnfs.nfs.locks.NamedLocks.owner;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.warpnfs.fs.local.LocalFileSystem;
import org.warpnfs.fs.local.LocalOptions;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.OwnerLocks;

/** Locks at a backend that fails, does not answer, has none, or is withdrawn. */
@Timeout(120)
class BackendFaultsTest extends BackendFaultsFixture {
    private LockAttempt waitFor(NamedLocks.Named owner, boolean exclusive, ByteRange range) throws LocksBusyException {
        return service.lockOrWait(file, owner, exclusive, range, ANN, new LockWaiter() {
            @Override
            public void granted() {
                told.add(owner.word() + " granted");
            }

            @Override
            public void dropped() {
                told.add(owner.word() + " dropped");
            }
        });
    }

    @Test
    void sharedLock_cancelledWhileItReplacesAnExclusiveOne_leavesThatAtTheBackend() throws Exception {
        assertThat(lock(a, true, range(0, 9)).isGranted()).isTrue();
        Reservation reservation = waitFor(a, false, range(5, 14)).reservation();
        assertThat(service.cancel(file.identity(), a, false, range(5, 14))).isTrue();
        assertThat(reservation.settle().outcome()).isEqualTo(LockAttempt.Outcome.CANCELLED);
        assertThat(canLock(false, 7)).as("it was never less than exclusive").isFalse();
        assertThat(canLock(true, 10)).isTrue();
        unlock(a, ALL);
        assertThat(service.files()).isZero();
    }

    @Test
    void sharedLock_thatReplacesAnExclusiveOne_isSharedAtTheBackendOnceItIsGranted() throws Exception {
        assertThat(lock(a, true, range(0, 9)).isGranted()).isTrue();
        assertThat(lock(a, false, range(5, 14)).isGranted()).isTrue();
        assertThat(canLock(false, 7)).isTrue();
        assertThat(canLock(true, 12)).isFalse();
        assertThat(canLock(false, 4)).isFalse();
        unlock(a, ALL);
    }

    @Test
    void lock_thatMeetsAnErrorOfTheMachine_endsAllTheSame() throws Exception {
        fault.set(call -> {
            throw new NoClassDefFoundError("in " + call);
        });
        assertThat(lock(a, true, range(0, 9)).outcome()).isEqualTo(LockAttempt.Outcome.FAILED);
        assertThat(service.isTaking()).isFalse();
        fault.set(Fault.NONE);
        assertThat(lock(a, true, range(0, 9)).isGranted()).isTrue();
        unlock(a, ALL);
        assertThat(service.files()).isZero();
    }

    @Test
    void unlock_whileARequestOfTheLineIsTried_leavesItInLineForAllOfItsRange() throws Exception {
        try (OwnerLocks other = somebodyElse()) {
            assertThat(other.tryLock(true, 0, 9)).isEmpty();
            assertThat(waitFor(a, true, range(0, 9)).reservation().settle().outcome())
                    .isEqualTo(LockAttempt.Outcome.WAITING);
        }
        fault.set(call -> {
            if (call.equals("lock")) {
                fault.set(Fault.NONE);
                int _ = service.unlock(file.identity(), a, range(5, 20), work::add);
            }
        });
        List<String> heard = new ArrayList<>(timePasses());
        heard.addAll(timePasses());
        assertThat(heard).containsExactly("a granted");
        assertThat(service.of(file.identity(), a, 9)).containsExactly(new HeldLock(a, true, range(0, 9)));
        assertThat(canLock(true, 0)).isFalse();
        assertThat(canLock(true, 9)).isFalse();
        assertThat(service.waiting()).isZero();
        unlock(a, ALL);
        assertThat(timePasses()).isEmpty();
        assertThat(service.files()).isZero();
    }

    @Test
    void withdrawal_whileTheBackendDoesNotAnswer_isMadeLater() throws Exception {
        try (LocalFileSystem second = LocalFileSystem.open(directory, LocalOptions.DEFAULTS);
                ExecutorService thread = Executors.newSingleThreadExecutor()) {
            LockedFile other = LockedFile.of(second, handle(second));
            assertThat(lock(a, true, range(0, 9)).isGranted()).isTrue();
            Reservation reservation =
                    service.lock(other, b, true, range(20, 29)).reservation();
            CountDownLatch begun = new CountDownLatch(1);
            CountDownLatch answer = new CountDownLatch(1);
            fault.set(_ -> {
                begun.countDown();
                try {
                    answer.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            Future<LockAttempt> taken = thread.submit(reservation::settle);
            begun.await();
            service.withdraw(file.backend());
            fault.set(Fault.NONE);
            answer.countDown();
            assertThat(taken.get().isGranted()).isTrue();
            assertThat(timePasses()).isEmpty();
            fault.set(_ -> {
                throw new IllegalStateException("it is not served any more");
            });
            assertThat(canLock(true, 9)).isFalse();
            assertThat(canLock(true, 20)).isFalse();
            unlock(a, ALL);
            unlock(b, ALL);
            assertThat(canLock(true, 9)).isTrue();
            assertThat(service.files()).isZero();
        }
    }

    @Test
    void fileWithoutLocks_isLockedHereAlone() throws Exception {
        for (String call : List.of("open", "lock")) {
            for (FsError error : List.of(FsError.NOT_SUPPORTED, FsError.NO_LOCKS)) {
                fault.set(Fault.of(call, error));
                assertThat(lock(a, true, range(0, 9)).isGranted())
                        .as("%s: %s", call, error)
                        .isTrue();
                assertThat(lock(b, true, range(5, 5)).outcome()).isEqualTo(LockAttempt.Outcome.DENIED);
                assertThat(service.conflictAtBackend(file, b, true, range(5, 5)))
                        .isNull();
                assertThat(service.backends().owners()).isZero();
                unlock(a, ALL);
                assertThat(lock(b, true, range(5, 5)).isGranted()).isTrue();
                unlock(b, ALL);
                assertThat(service.files()).isZero();
            }
        }
        fault.set(Fault.NONE);
        assertThat(lock(a, true, ALL).isGranted()).isTrue();
        assertThat(canLock(false, 0)).as("tried again with the next first lock").isFalse();
        unlock(a, ALL);
    }

    @Test
    void backendThatHasNoMoreLocks_refuses() throws Exception {
        assertThat(lock(a, true, range(0, 9)).isGranted()).isTrue();
        fault.set(Fault.of("lock", FsError.NO_LOCKS));
        assertThat(lock(b, true, range(20, 29)).outcome()).isEqualTo(LockAttempt.Outcome.FAILED);
        unlock(a, ALL);
        unlock(b, ALL);
        assertThat(service.files()).isZero();
    }

    @Test
    void file_throughTwoExports_staysLockedWhenTheFirstIsWithdrawn() throws Exception {
        try (LocalFileSystem second = LocalFileSystem.open(directory, LocalOptions.DEFAULTS)) {
            LockedFile other = LockedFile.of(second, handle(second));
            assertThat(other.identity()).isEqualTo(file.identity());
            assertThat(lock(a, true, range(0, 9)).isGranted()).isTrue();
            Reservation reservation =
                    service.lock(other, b, false, range(20, 29)).reservation();
            assertThat(reservation.settle().isGranted()).isTrue();
            service.withdraw(file.backend());
            files.close();
            assertThat(canLock(false, 9)).isFalse();
            assertThat(canLock(true, 20)).isFalse();
            unlock(a, ALL);
            assertThat(canLock(true, 9)).isTrue();
            service.withdraw(second);
            assertThat(canLock(true, 20)).as("nothing is served").isTrue();
            unlock(b, ALL);
            assertThat(service.files()).isZero();
        }
    }

    @Test
    void waiter_whoseFileIsGone_leavesTheLineAndIsTold() throws Exception {
        try (OwnerLocks other = somebodyElse()) {
            assertThat(other.tryLock(true, 0, 9)).isEmpty();
            assertThat(waitFor(a, true, range(0, 9)).reservation().settle().outcome())
                    .isEqualTo(LockAttempt.Outcome.WAITING);
        }
        fault.set(Fault.of("lock", FsError.TRY_LATER));
        assertThat(timePasses()).isEmpty();
        assertThat(service.waiting()).isOne();
        fault.set(Fault.of("lock", FsError.STALE));
        assertThat(timePasses()).containsExactly("a dropped");
        assertThat(service.waiting()).isZero();
        fault.set(Fault.NONE);
        assertThat(timePasses()).isEmpty();
        assertThat(service.files()).isZero();
    }

    @Test
    void waiter_refusedByTheBackendWhenItAsksAgain_leavesTheLine() throws Exception {
        try (OwnerLocks other = somebodyElse()) {
            assertThat(other.tryLock(true, 0, 9)).isEmpty();
            assertThat(waitFor(a, true, range(0, 9)).reservation().settle().outcome())
                    .isEqualTo(LockAttempt.Outcome.WAITING);
            fault.set(Fault.of("lock", FsError.IO));
            assertThat(waitFor(a, true, range(0, 9)).reservation().settle().outcome())
                    .isEqualTo(LockAttempt.Outcome.FAILED);
        }
        assertThat(service.waiting()).isZero();
        fault.set(Fault.NONE);
        assertThat(timePasses()).isEmpty();
        assertThat(canLock(true, 0)).isTrue();
    }

    @Test
    void waiter_whoseTrialMeetsADefectOfTheBackend_isTriedAgain() throws Exception {
        try (OwnerLocks other = somebodyElse()) {
            assertThat(other.tryLock(true, 0, 9)).isEmpty();
            LockAttempt asked = service.lockInTurn(file, a, true, range(0, 9), ANN, () -> told.add("a's turn"));
            assertThat(asked.reservation().settle().outcome()).isEqualTo(LockAttempt.Outcome.DENIED);
            fault.set(call -> {
                throw new IllegalStateException("a defect in " + call);
            });
            assertThat(timePasses()).as("its owner asks again, and is told why").containsExactly("a's turn");
        }
    }

    @Test
    void cancel_whileTheLockIsTried_endsIt() throws Exception {
        Reservation reservation = waitFor(a, true, range(0, 9)).reservation();
        assertThat(service.cancel(file.identity(), a, true, range(0, 9))).isTrue();
        assertThat(reservation.settle().outcome()).isEqualTo(LockAttempt.Outcome.CANCELLED);
        assertThat(canLock(true, 0)).isTrue();
        assertThat(service.files()).isZero();
    }

    @Test
    void turns_ofAnOwner_comeInOrderAndEndWithTheirTime() {
        Optional<OwnerTurns.Turn> first = service.turnOf(file, a, 0);
        assertThat(first).isPresent();
        assertThat(service.turnOf(file, a, 1)).isEmpty();
        assertThat(service.turnOf(file, b, 0)).isPresent();
        first.get().close();
        assertThat(service.turnOf(file, a, 0)).isPresent();
    }
}
