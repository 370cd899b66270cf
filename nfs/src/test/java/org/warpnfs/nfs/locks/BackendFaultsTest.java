package org.warpnfs.nfs.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.nfs.locks.NamedLocks.ANN;
import static org.warpnfs.nfs.locks.NamedLocks.owner;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.fs.local.DescriptorBudget;
import org.warpnfs.fs.local.LocalFileSystem;
import org.warpnfs.fs.local.LocalOptions;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OwnerLocks;

/** Locks at a backend that fails, does not answer, has none, or is withdrawn. */
@Timeout(120)
class BackendFaultsTest {
    private static final ByteRange ALL = ByteRange.ALL;

    @TempDir
    private Path directory;

    private LocalFileSystem files;
    private LocalFileSystem elsewhere;
    private LockedFile file;
    private int descriptors;

    /** What the next calls of the backend do first. */
    private final AtomicReference<Fault> fault = new AtomicReference<>(Fault.NONE);

    private final List<Runnable> work = new ArrayList<>();
    private final List<Runnable> notices = new ArrayList<>();
    private final List<Runnable> timers = new ArrayList<>();
    private final List<String> told = new ArrayList<>();
    private final LockService service =
            new LockService(100, notices::add, BackendLocking.on(work::add, 100), (_, task) -> timers.add(task));

    private final NamedLocks.Named a = owner("a");
    private final NamedLocks.Named b = owner("b");

    /** A failure of the backend, or none. */
    private interface Fault {
        Fault NONE = _ -> {};

        void on(String call) throws FsException;

        static Fault of(String call, FsError error) {
            return made -> {
                if (made.equals(call)) {
                    throw FsException.of(error);
                }
            };
        }
    }

    private final class Watched implements OwnerLocks {
        private final OwnerLocks locks;

        Watched(OwnerLocks locks) {
            this.locks = locks;
        }

        @Override
        public Optional<Holder> tryLock(boolean exclusive, long first, long last) throws FsException {
            fault.get().on("lock");
            return locks.tryLock(exclusive, first, last);
        }

        @Override
        public void unlock(long first, long last) throws FsException {
            fault.get().on("unlock");
            locks.unlock(first, last);
        }

        @Override
        public Optional<Holder> test(boolean exclusive, long first, long last) throws FsException {
            fault.get().on("test");
            return locks.test(exclusive, first, last);
        }

        @Override
        public void close() {
            locks.close();
        }
    }

    private FileSystem watched(LocalFileSystem backend) {
        return (FileSystem) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {FileSystem.class}, (_, method, arguments) -> {
                    try {
                        if (method.getName().equals("openLocks")) {
                            fault.get().on("open");
                            return new Watched((OwnerLocks) method.invoke(backend, arguments));
                        }
                        return method.invoke(backend, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @BeforeEach
    void start() throws Exception {
        descriptors = DescriptorBudget.ofProcess().usedByFiles();
        Files.write(directory.resolve("f"), new byte[0]);
        files = LocalFileSystem.open(directory, LocalOptions.DEFAULTS);
        elsewhere = LocalFileSystem.open(directory, LocalOptions.DEFAULTS);
        file = LockedFile.of(watched(files), handle(files));
    }

    private static FileHandle handle(LocalFileSystem of) throws Exception {
        return of.lookup(Caller.ROOT, of.root(), FileName.of("f")).handle();
    }

    @AfterEach
    void stop() {
        files.close();
        elsewhere.close();
        assertThat(DescriptorBudget.ofProcess().usedByFiles()).isEqualTo(descriptors);
    }

    private boolean canLock(boolean exclusive, long at) throws Exception {
        try (OwnerLocks other = elsewhere.openLocks(handle(elsewhere), OpenAccess.READ_WRITE)) {
            return other.tryLock(exclusive, at, at).isEmpty();
        }
    }

    private static ByteRange range(long first, long last) {
        return new ByteRange(first, last);
    }

    private LockAttempt lock(NamedLocks.Named owner, boolean exclusive, ByteRange range) throws LocksBusyException {
        LockAttempt attempt = service.lock(file, owner, exclusive, range);
        Reservation reservation = attempt.reservation();
        return reservation == null ? attempt : reservation.settle();
    }

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

    private void unlock(NamedLocks.Named owner, ByteRange range) {
        int _ = service.unlock(file.identity(), owner, range, Runnable::run);
    }

    private static void runAll(List<Runnable> tasks) {
        List<Runnable> now = List.copyOf(tasks);
        tasks.clear();
        now.forEach(Runnable::run);
    }

    private List<String> timePasses() {
        runAll(timers);
        runAll(work);
        runAll(notices);
        List<String> now = List.copyOf(told);
        told.clear();
        return now;
    }

    @Test
    void unlock_whileALockIsUnderWay_endsAtOnceAndReleasesThatToo() throws Exception {
        assertThat(lock(a, false, range(0, 9)).isGranted()).isTrue();
        Reservation reservation = service.lock(file, a, true, range(5, 20)).reservation();
        unlock(a, range(8, 10));
        assertThat(reservation.settle().isGranted()).isTrue();
        assertThat(service.of(file.identity(), a, 9))
                .containsExactly(
                        new HeldLock(a, false, range(0, 4)),
                        new HeldLock(a, true, range(5, 7)),
                        new HeldLock(a, true, range(11, 20)));
        assertThat(canLock(true, 8)).isTrue();
        assertThat(canLock(true, 10)).isTrue();
        assertThat(canLock(false, 7)).isFalse();
        assertThat(canLock(true, 4)).isFalse();
        assertThat(canLock(false, 11)).isFalse();
        unlock(a, ALL);
        assertThat(service.files()).isZero();
    }

    @Test
    void unlock_whileALockIsUnderWayThatFails_releasesWhatWasBefore() throws Exception {
        assertThat(lock(a, true, range(0, 9)).isGranted()).isTrue();
        try (OwnerLocks other = elsewhere.openLocks(handle(elsewhere), OpenAccess.READ_WRITE)) {
            assertThat(other.tryLock(true, 15, 15)).isEmpty();
            Reservation reservation = service.lock(file, a, true, range(5, 20)).reservation();
            unlock(a, range(7, 8));
            assertThat(reservation.settle().outcome()).isEqualTo(LockAttempt.Outcome.DENIED);
        }
        assertThat(service.of(file.identity(), a, 9))
                .containsExactly(new HeldLock(a, true, range(0, 6)), new HeldLock(a, true, range(9, 9)));
        assertThat(canLock(true, 7)).isTrue();
        assertThat(canLock(true, 9)).isFalse();
        assertThat(canLock(true, 15)).isTrue();
        unlock(a, ALL);
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
    void release_thatFails_hindersNobodyAndIsMadeLater() throws Exception {
        assertThat(lock(a, true, range(0, 9)).isGranted()).isTrue();
        fault.set(Fault.of("unlock", FsError.IO));
        unlock(a, range(0, 4));
        assertThat(lock(b, true, range(20, 29)).isGranted()).isTrue();
        assertThat(canLock(true, 0)).isFalse();
        fault.set(Fault.NONE);
        assertThat(timePasses()).isEmpty();
        assertThat(canLock(true, 0)).isTrue();
        assertThat(canLock(true, 9)).isFalse();
        unlock(a, ALL);
        unlock(b, ALL);
        assertThat(service.files()).isZero();
    }

    @Test
    void release_thatFailsAgainAndAgain_isMadeByTakingTheRestAnew() throws Exception {
        assertThat(lock(a, true, range(0, 9)).isGranted()).isTrue();
        fault.set(Fault.of("unlock", FsError.IO));
        unlock(a, range(0, 4));
        for (int round = 0; round < 10; round++) {
            assertThat(timePasses()).isEmpty();
        }
        assertThat(canLock(true, 0)).isTrue();
        assertThat(canLock(true, 9)).isFalse();
        assertThat(timers).isEmpty();
        unlock(a, ALL);
        assertThat(service.files()).isZero();
    }

    @Test
    void release_whileTheBackendHasNoTime_keepsWhatIsLockedHoweverLongItLasts() throws Exception {
        assertThat(lock(a, true, range(0, 9)).isGranted()).isTrue();
        fault.set(Fault.of("unlock", FsError.TRY_LATER));
        unlock(a, range(0, 2));
        unlock(a, range(3, 4));
        for (int round = 0; round < 10; round++) {
            assertThat(timers).as("one for all").hasSize(1);
            assertThat(timePasses()).isEmpty();
            assertThat(canLock(true, 9)).isFalse();
        }
        fault.set(Fault.NONE);
        assertThat(timePasses()).isEmpty();
        assertThat(canLock(true, 0)).isTrue();
        assertThat(canLock(true, 9)).isFalse();
        assertThat(timers).isEmpty();
        unlock(a, ALL);
        assertThat(service.files()).isZero();
    }

    @Test
    void takingAnew_thatCannotBegin_keepsWhatIsLockedUntilItCan() throws Exception {
        assertThat(lock(a, true, range(0, 9)).isGranted()).isTrue();
        fault.set(call -> {
            throw FsException.of(call.equals("open") ? FsError.TRY_LATER : FsError.IO);
        });
        unlock(a, range(0, 4));
        for (int round = 0; round < 10; round++) {
            assertThat(timePasses()).isEmpty();
        }
        assertThat(canLock(true, 9)).isFalse();
        fault.set(Fault.of("unlock", FsError.IO));
        assertThat(timePasses()).isEmpty();
        assertThat(canLock(true, 0)).isTrue();
        assertThat(canLock(true, 9)).isFalse();
        unlock(a, ALL);
        assertThat(service.files()).isZero();
    }

    @Test
    void takingAnew_thatFailsHalfway_goesOnUntilAllIsLockedAgain() throws Exception {
        assertThat(lock(a, true, range(0, 9)).isGranted()).isTrue();
        fault.set(call -> {
            if (!call.equals("open")) {
                throw FsException.of(call.equals("lock") ? FsError.TRY_LATER : FsError.IO);
            }
        });
        unlock(a, range(0, 4));
        for (int round = 0; round < 10; round++) {
            assertThat(timePasses()).isEmpty();
        }
        fault.set(Fault.NONE);
        assertThat(timePasses()).isEmpty();
        assertThat(canLock(true, 0)).isTrue();
        assertThat(canLock(true, 9)).isFalse();
        assertThat(timers).isEmpty();
        unlock(a, ALL);
        assertThat(service.backends().owners()).isZero();
        assertThat(service.files()).isZero();
    }

    @Test
    void releasesOfOneOwner_thatFail_areFewInTheEnd() throws Exception {
        assertThat(lock(a, true, range(0, 999)).isGranted()).isTrue();
        fault.set(Fault.of("unlock", FsError.TRY_LATER));
        for (long at = 0; at < 1000; at += 2) {
            unlock(a, range(at, at));
        }
        int[] calls = {0};
        fault.set(call -> {
            calls[0] += call.equals("unlock") ? 1 : 0;
            throw FsException.of(FsError.TRY_LATER);
        });
        assertThat(timePasses()).isEmpty();
        assertThat(calls[0]).isLessThan(40);
        fault.set(Fault.NONE);
        assertThat(timePasses()).isEmpty();
        assertThat(canLock(true, 998)).isTrue();
        assertThat(canLock(true, 4)).isTrue();
        assertThat(canLock(true, 5)).isFalse();
        unlock(a, ALL);
        assertThat(service.files()).isZero();
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
        try (OwnerLocks other = elsewhere.openLocks(handle(elsewhere), OpenAccess.READ_WRITE)) {
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
        try (OwnerLocks other = elsewhere.openLocks(handle(elsewhere), OpenAccess.READ_WRITE)) {
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
        try (OwnerLocks other = elsewhere.openLocks(handle(elsewhere), OpenAccess.READ_WRITE)) {
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
        try (OwnerLocks other = elsewhere.openLocks(handle(elsewhere), OpenAccess.READ_WRITE)) {
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
    void fileSystem_thatDoesNotAnswer_delaysNoOther() throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(2 * BackendThreads.AT_ONCE)) {
            BackendThreads shared = new BackendThreads(threads);
            CountDownLatch answer = new CountDownLatch(1);
            CountDownLatch others = new CountDownLatch(10);
            CountDownLatch all = new CountDownLatch(20);
            for (int i = 0; i < 20; i++) {
                shared.execute(files, () -> {
                    try {
                        answer.await();
                        all.countDown();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
            }
            for (int i = 0; i < 10; i++) {
                shared.execute(elsewhere, others::countDown);
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
                shared.execute(files, () -> {
                    throw new NoClassDefFoundError("on purpose");
                });
            }
            shared.execute(files, done::countDown);
            assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
        }
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
