package org.warpnfs.nfs.locks;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileIdentity;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.limits.ClientAddress;

/**
 * The byte-range locks of all clients and protocols, by file (RFC 8881, section 9.1, X/Open XNFS, chapter 10).
 *
 * <h2>Operation</h2>
 *
 * Locks have POSIX semantics: what an owner locks replaces what it had of the range. Requests that wait stand in line
 * by file. When a lock is released, those in line are granted in their order: none is granted while an earlier one
 * waits for a conflicting range, unless its owner has locks on the file already. Nor does a new request that may wait
 * pass an earlier one, unless its owner has such locks or would wait for itself. A request that does not wait only
 * minds locks that are held.
 *
 * <p>A request is not put in line if it would close a circle of owners that wait for each other. Who asks again, in
 * place of waiting to be granted, counts as waiting for a while after each time that it has asked.
 *
 * <p>If the file's backend has locks, a lock is taken there too. It is granted here first, as a {@link Reservation},
 * which the caller settles without any lock. A lock of somebody else at the backend is met only then; who waits for one
 * is tried again by {@link BackendPolls}.
 *
 * <p>The service has one lock of its own, under which nothing is called but {@link Locker}. It may be called under the
 * lock of NFSv4 state, but for what is said to wait. Safe for any thread.
 */
public final class LockService {
    private static final int TURN_SECONDS = 2;
    private static final LockWaiter NOBODY = () -> {};

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<FileIdentity, FileLocks> files = new HashMap<>();
    private final WaitingLines lines;
    private final Executor notices;
    private final Later later;
    private final BackendLocking backends;
    private final BackendPolls polls;
    private final OwnerTurns ownerTurns = new OwnerTurns();
    private long turns;
    private volatile BooleanSupplier heldBack = () -> false;
    private volatile boolean reclaiming;
    private volatile long reclaimEndNanos;

    /** Runs tasks later. */
    @FunctionalInterface
    interface Later {
        void after(long millis, Runnable task);
    }

    /** A step under the lock. */
    @FunctionalInterface
    interface Step<T, X extends Exception> {
        /**
         * Takes the step.
         *
         * @param after runs what follows when the lock is free: notices of waiters, and work at the backend
         */
        T on(FileLocks locks, List<Runnable> after) throws X;
    }

    /** A service whose locks are known to this server alone. */
    public LockService(int maxWaiting, Executor notices) {
        this(maxWaiting, notices, BackendLocking.off());
    }

    /**
     * @param maxWaiting limit of requests in line
     * @param notices runs what waiters are told; must not run it on the thread that hands it over
     */
    public LockService(int maxWaiting, Executor notices, BackendLocking backends) {
        this(maxWaiting, notices, backends, (millis, task) -> CompletableFuture.delayedExecutor(
                        millis, TimeUnit.MILLISECONDS, notices)
                .execute(task));
    }

    LockService(int maxWaiting, Executor notices, BackendLocking backends, Later later) {
        this(maxWaiting, notices, backends, later, System::nanoTime);
    }

    LockService(int maxWaiting, Executor notices, BackendLocking backends, Later later, LongSupplier clockNanos) {
        this.lines = new WaitingLines(maxWaiting, clockNanos);
        this.notices = notices;
        this.later = later;
        this.backends = backends;
        this.polls = new BackendPolls(this);
    }

    /** A lock of another owner that conflicts; null if there is none. Those at the backend are not asked. */
    public @Nullable HeldLock conflict(FileIdentity file, Locker owner, boolean exclusive, ByteRange range)
            throws LocksBusyException {
        lock.lock();
        try {
            FileLocks locks = files.get(file);
            return locks == null ? null : locks.conflict(owner, exclusive, range);
        } finally {
            lock.unlock();
        }
    }

    /** True if anyone has a lock on the file or waits for one. */
    public boolean isUsed(FileIdentity file) {
        lock.lock();
        try {
            return files.containsKey(file);
        } finally {
            lock.unlock();
        }
    }

    /**
     * A lock that somebody else has at the backend and that conflicts; null if there is none. Waits as the backend
     * does; must be called without a lock.
     */
    public @Nullable HeldLock conflictAtBackend(LockedFile file, Locker owner, boolean exclusive, ByteRange range)
            throws FsException {
        if (!takesAtBackend(file, range)) {
            return null;
        }
        BackendLocks backend = on(file.identity(), (locks, _) -> backendOf(locks, file));
        return backend.test(owner, exclusive, range);
    }

    /**
     * Waits until no earlier request of the owner for a lock on the file is under way, at most that long. Requests come
     * in the order in which they called this. Must be called without a lock.
     *
     * @return empty if the time is up
     */
    public Optional<OwnerTurns.Turn> turnOf(LockedFile file, Locker owner, long millis) {
        return backends.isWanted() && file.backend() != null
                ? ownerTurns.await(file.identity(), owner, millis)
                : Optional.of(() -> {});
    }

    /** A file system is no longer served: locks at the backend that came through it are taken through another. */
    public void withdraw(FileSystem fileSystem) {
        if (!backends.isWanted()) {
            return;
        }
        List<BackendLocks> all = new ArrayList<>();
        lock.lock();
        try {
            files.values().forEach(locks -> {
                BackendLocks backend = locks.backend();
                if (backend != null) {
                    all.add(backend);
                }
            });
        } finally {
            lock.unlock();
        }
        all.forEach(backend -> backend.withdraw(fileSystem));
    }

    /** Locks the range, unless another owner has a conflicting lock. The caller has decided that it may be granted. */
    public LockAttempt lock(LockedFile file, Locker owner, boolean exclusive, ByteRange range)
            throws LocksBusyException {
        return lock(file, owner, exclusive, range, () -> true);
    }

    /**
     * Locks the range, unless another owner has a conflicting lock.
     *
     * @param permitted whether it may be granted now, else it is HELD_BACK. It is asked under the lock of the service:
     *     once it has become false and {@link #isTaking} answers false, nothing more is granted. It must answer at once
     */
    public LockAttempt lock(
            LockedFile file, Locker owner, boolean exclusive, ByteRange range, BooleanSupplier permitted)
            throws LocksBusyException {
        return on(file.identity(), (locks, after) -> {
            if (!permitted.getAsBoolean()) {
                return LockAttempt.refused(LockAttempt.Outcome.HELD_BACK, null);
            }
            Reservation busy = locks.pending().get(owner);
            if (busy != null) {
                return LockAttempt.busy(busy);
            }
            HeldLock holder = locks.conflict(owner, exclusive, range);
            return holder != null
                    ? LockAttempt.refused(LockAttempt.Outcome.DENIED, holder)
                    : take(locks, file, owner, exclusive, range, null, after);
        });
    }

    /**
     * Locks the range, or waits in line for it. A request that is in line already stays where it is, with the new
     * waiter. While those in line are held back, it is HELD_BACK.
     *
     * @param client whose share of the lines it takes
     */
    public LockAttempt lockOrWait(
            LockedFile file, Locker owner, boolean exclusive, ByteRange range, ClientAddress client, LockWaiter waiter)
            throws LocksBusyException {
        return on(file.identity(), (locks, after) -> {
            if (isHeldBack()) {
                return LockAttempt.refused(LockAttempt.Outcome.HELD_BACK, null);
            }
            Reservation busy = locks.pending().get(owner);
            if (busy != null) {
                return LockAttempt.busy(busy);
            }
            HeldLock holder = locks.conflict(owner, exclusive, range);
            Waiting asked = new Waiting(locks, owner, exclusive, range, client, false, waiter);
            if (holder == null && (!lines.isBehindAnother(asked) || lines.closesCircle(asked))) {
                return take(locks, file, owner, exclusive, range, asked, after);
            }
            if (lines.renew(asked)) {
                return LockAttempt.refused(LockAttempt.Outcome.WAITING, holder);
            }
            if (lines.closesCircle(asked)) {
                return LockAttempt.refused(LockAttempt.Outcome.DEADLOCK, holder);
            }
            // When it is granted, its lock is taken at the backend too.
            noteBackend(locks, file, range);
            return LockAttempt.refused(
                    lines.add(asked) ? LockAttempt.Outcome.WAITING : LockAttempt.Outcome.NO_ROOM, holder);
        });
    }

    /**
     * Locks the range if it is the owner's turn. If not, the request stands in line: its owner is told when its turn
     * has come, and has {@value #TURN_SECONDS} seconds to ask again, in which nobody behind it is served. A request for
     * which the line has no room is denied all the same.
     */
    public LockAttempt lockInTurn(
            LockedFile file, Locker owner, boolean exclusive, ByteRange range, ClientAddress client, LockWaiter waiter)
            throws LocksBusyException {
        return on(file.identity(), (locks, after) -> {
            Reservation busy = locks.pending().get(owner);
            if (busy != null) {
                return LockAttempt.busy(busy);
            }
            HeldLock holder = locks.conflict(owner, exclusive, range);
            Waiting asked = new Waiting(locks, owner, exclusive, range, client, true, waiter);
            Waiting earlier = lines.before(asked);
            if (holder == null && earlier == null) {
                return take(locks, file, owner, exclusive, range, asked, after);
            }
            if (!lines.renew(asked)) {
                lines.add(asked);
            }
            HeldLock inTheWay = holder != null || earlier == null
                    ? holder
                    : new HeldLock(earlier.owner(), earlier.exclusive(), earlier.range());
            return LockAttempt.refused(LockAttempt.Outcome.DENIED, inTheWay);
        });
    }

    /** True if the owner would wait for itself, if it waited for the range: {@link LockAttempt.Outcome#DEADLOCK}. */
    public boolean wouldWaitForItself(LockedFile file, Locker owner, boolean exclusive, ByteRange range) {
        return on(
                file.identity(),
                (locks, _) -> lines.closesCircle(
                        new Waiting(locks, owner, exclusive, range, ClientAddress.NONE, true, NOBODY)));
    }

    /** Puts a request in line that was denied: its owner is told of its turn, as by {@link #lockInTurn}. */
    public void stand(
            LockedFile file,
            Locker owner,
            boolean exclusive,
            ByteRange range,
            ClientAddress client,
            LockWaiter waiter) {
        boolean _ = on(file.identity(), (locks, after) -> {
            Waiting asked = new Waiting(locks, owner, exclusive, range, client, true, waiter);
            boolean stands = lines.renew(asked) || lines.add(asked);
            if (stands) {
                // What was in its way may have gone meanwhile.
                grant(locks, after);
            }
            return stands;
        });
    }

    /** Ends a turn that its owner did not use. */
    private void endTurn(FileIdentity file, Waiting request, long turn) {
        boolean _ = on(file, (_, after) -> {
            boolean unused = request.turn() == turn && request.file().waiting().contains(request);
            if (unused) {
                lines.remove(request);
                grant(request.file(), after);
            }
            return unused;
        });
    }

    /** Takes a request that may wait out of the line, or ends it while it is tried. Returns false if there is none. */
    public boolean cancel(FileIdentity file, Locker owner, boolean exclusive, ByteRange range) {
        return on(file, (locks, after) -> {
            boolean found = lines.remove(locks, owner, exclusive, range);
            Reservation pending = locks.pending().get(owner);
            if (pending != null
                    && pending.orWait() != null
                    && pending.exclusive() == exclusive
                    && pending.range().equals(range)) {
                pending.unwant();
                found = true;
            }
            grant(locks, after);
            return found;
        });
    }

    /**
     * Takes requests for a file out of the line whose owners do not want them any more. Those behind them go on.
     *
     * @param which is asked under the lock of the service
     */
    public void giveUp(FileIdentity file, Predicate<LockWaiter> which) {
        if (waiting() == 0) {
            return;
        }
        boolean _ = on(file, (locks, after) -> {
            boolean some = lines.removeIf(locks, request -> which.test(request.waiter()));
            if (some) {
                grant(locks, after);
            }
            return some;
        });
    }

    /** Takes all requests of owners that fit out of the lines: their client cannot ask for them any more. */
    public void giveUpAll(Predicate<Locker> owners) {
        look(() -> lines.filesOf(owners)).forEach(file -> {
            boolean _ = on(file, (locks, after) -> {
                boolean some = lines.removeIf(locks, request -> owners.test(request.owner()));
                grant(locks, after);
                return some;
            });
        });
    }

    /**
     * Releases what the owner has locked of the range, or is about to lock. A release never waits for a lock.
     *
     * @param releases runs what the backend has still to release, without a lock and before the owner is answered
     * @return by how many its ranges have grown, or shrunk
     */
    public int unlock(FileIdentity file, Locker owner, ByteRange range, Consumer<Runnable> releases) {
        return on(file, (locks, after) -> {
            Reservation pending = locks.pending().get(owner);
            if (pending != null) {
                pending.release(range);
            }
            int before = locks.held().holdsOf(owner);
            locks.held().unlock(owner, range);
            lines.removeGivenUp(locks, owner, range);
            owe(locks, owner, range, releases, after);
            grant(locks, after);
            return locks.held().holdsOf(owner) - before;
        });
    }

    /**
     * Releases all locks of the owner on the file, and takes its requests out of the line.
     *
     * @param releases as for {@link #unlock}
     * @return by how many its ranges have grown, or shrunk
     */
    public int unlockAll(FileIdentity file, Locker owner, Consumer<Runnable> releases) {
        return on(file, (locks, after) -> {
            int before = locks.held().holdsOf(owner);
            locks.held().unlockAll(owner);
            lines.removeAll(locks, owner);
            Reservation pending = locks.pending().get(owner);
            if (pending != null) {
                pending.cancel();
            }
            owe(locks, owner, ByteRange.ALL, releases, after);
            grant(locks, after);
            return -before;
        });
    }

    private static void owe(
            FileLocks locks, Locker owner, ByteRange range, Consumer<Runnable> releases, List<Runnable> after) {
        BackendLocks backend = locks.backend();
        if (backend != null && OwnerSide.reaches(range)) {
            locks.owe(owner, range);
            after.add(() -> releases.accept(backend::carryOut));
        }
    }

    /** The owner's locks on the file, ordered by first byte, at most {@code most}. */
    public List<HeldLock> of(FileIdentity file, Locker owner, int most) {
        lock.lock();
        try {
            FileLocks locks = files.get(file);
            return locks == null
                    ? List.of()
                    : locks.held().of(owner, most).stream().map(HeldLock::of).toList();
        } finally {
            lock.unlock();
        }
    }

    /** Number of the owner's locks on the file. */
    public int countOf(FileIdentity file, Locker owner) {
        lock.lock();
        try {
            FileLocks locks = files.get(file);
            return locks == null ? 0 : locks.held().holdsOf(owner);
        } finally {
            lock.unlock();
        }
    }

    /** True if the owner stands in line for a lock on the file. */
    public boolean isWaiting(FileIdentity file, Locker owner) {
        lock.lock();
        try {
            FileLocks locks = files.get(file);
            return locks != null && lines.isWaiting(locks, owner);
        } finally {
            lock.unlock();
        }
    }

    /** Begins a time after the start in which locks are only reclaimed. */
    public void reclaimUntil(long endNanos) {
        reclaimEndNanos = endNanos;
        reclaiming = true;
    }

    /** True while locks are only reclaimed. A protocol that knows its clients may end its own part of it earlier. */
    public boolean isReclaiming(long nowNanos) {
        if (reclaiming && nowNanos - reclaimEndNanos >= 0) {
            reclaiming = false;
        }
        return reclaiming;
    }

    /**
     * Keeps those in line from being granted while this is true, and others from standing in line by
     * {@link #lockOrWait}: clients of another server may reclaim what they would get. {@link #grantHeldBack} must be
     * called when it is no longer true.
     *
     * @param condition must answer at once
     */
    public void holdBackWhile(BooleanSupplier condition) {
        heldBack = condition;
    }

    /** True while those in line are not granted. Answers at once. */
    public boolean isHeldBack() {
        return heldBack.getAsBoolean();
    }

    /** Grants what could not be granted while those in line were held back. */
    public void grantHeldBack() {
        List<FileIdentity> waited;
        lock.lock();
        try {
            waited = files.entrySet().stream()
                    .filter(file -> !file.getValue().waiting().isEmpty())
                    .map(Map.Entry::getKey)
                    .toList();
        } finally {
            lock.unlock();
        }
        waited.forEach(file -> {
            boolean _ = on(file, (locks, after) -> {
                grant(locks, after);
                return true;
            });
        });
    }

    /** True while a lock is being taken at a backend. */
    public boolean isTaking() {
        lock.lock();
        try {
            return files.values().stream().anyMatch(locks -> !locks.pending().isEmpty());
        } finally {
            lock.unlock();
        }
    }

    /** Whether and how locks are taken at backends, and by how many owners. */
    public BackendLocking backends() {
        return backends;
    }

    /** Number of requests in line. */
    public int waiting() {
        lock.lock();
        try {
            return lines.count();
        } finally {
            lock.unlock();
        }
    }

    /** Number of files that have locks or lines. */
    int files() {
        lock.lock();
        try {
            return files.size();
        } finally {
            lock.unlock();
        }
    }

    // What follows is done under the lock.

    private LockAttempt take(
            FileLocks locks,
            LockedFile file,
            Locker owner,
            boolean exclusive,
            ByteRange range,
            @Nullable Waiting asked,
            List<Runnable> after) {
        noteBackend(locks, file, range);
        if (locks.backend() != null && OwnerSide.reaches(range)) {
            int had = locks.held().holdsOf(owner);
            Reservation reservation = locks.reserve(owner, exclusive, range, asked, false);
            return LockAttempt.reserved(reservation, locks.held().holdsOf(owner) - had);
        }
        if (asked != null) {
            lines.remove(asked);
        }
        int before = locks.held().holdsOf(owner);
        locks.held().lock(owner, exclusive, range);
        lines.removeServed(locks, owner);
        if (!exclusive || lines.isWaiting(locks, owner)) {
            // It may have been an exclusive one before; and a holder does not stand behind others any more.
            grant(locks, after);
        }
        return LockAttempt.granted(locks.held().holdsOf(owner) - before);
    }

    private boolean takesAtBackend(LockedFile file, ByteRange range) {
        return backends.isWanted() && file.backend() != null && OwnerSide.reaches(range);
    }

    private void noteBackend(FileLocks locks, LockedFile file, ByteRange range) {
        if (takesAtBackend(file, range)) {
            backendOf(locks, file).reachedBy(file);
        }
    }

    private BackendLocks backendOf(FileLocks locks, LockedFile file) {
        BackendLocks backend = locks.backend();
        if (backend == null && file.backend() != null) {
            backend = new BackendLocks(new FileBooks(this, locks), file, backends);
            locks.backend(backend);
        }
        if (backend == null) {
            throw new IllegalArgumentException("no backend");
        }
        return backend;
    }

    /** Grants what can be granted, in order. */
    void grant(FileLocks locks, List<Runnable> after) {
        if (locks.waiting().isEmpty() || isHeldBack()) {
            return;
        }
        for (Waiting next : List.copyOf(locks.waiting())) {
            if (next.owner().isGone()) {
                lines.remove(next);
            } else if (next.turn() == 0
                    && !next.isTriedLater()
                    && !locks.pending().containsKey(next.owner())
                    && !lines.isBehindAnother(next)
                    && locks.isFree(next)) {
                grant(next, after);
            }
        }
    }

    private void grant(Waiting next, List<Runnable> after) {
        FileLocks locks = next.file();
        if (next.asksAgain()) {
            beginTurn(next);
            after.add(() -> notices.execute(next.waiter()::granted));
        } else if (locks.backend() != null && OwnerSide.reaches(next.range())) {
            Reservation reservation = locks.reserve(next.owner(), next.exclusive(), next.range(), next, true);
            after.add(() -> later(locks.backend(), () -> {
                var _ = reservation.settle();
            }));
        } else {
            locks.held().lock(next.owner(), next.exclusive(), next.range());
            lines.remove(next);
            after.add(() -> notices.execute(next.waiter()::granted));
        }
    }

    private void beginTurn(Waiting request) {
        long turn = ++turns;
        request.turn(turn);
        later.after(
                TimeUnit.SECONDS.toMillis(TURN_SECONDS),
                () -> endTurn(request.file().identity(), request, turn));
    }

    // What follows is called by the parts that know the backend.

    /** Looks at something under the lock. */
    <T extends @Nullable Object> T look(Supplier<T> what) {
        lock.lock();
        try {
            return what.get();
        } finally {
            lock.unlock();
        }
    }

    WaitingLines lines() {
        return lines;
    }

    BackendPolls polls() {
        return polls;
    }

    void tell(Runnable notice) {
        notices.execute(notice);
    }

    /** Has a task run that may wait for the backend. */
    void later(@Nullable BackendLocks locks, Runnable task) {
        FileSystem backend = locks == null ? null : locks.backend();
        if (backend == null) {
            // None is served any more, so there is nothing to wait for.
            notices.execute(task);
        } else {
            backends.execute(backend, task);
        }
    }

    /** The same after a time. */
    void later(long millis, @Nullable BackendLocks locks, Runnable task) {
        later.after(millis, () -> later(locks, task));
    }

    /**
     * Runs a step under the lock, then what follows from it.
     *
     * @throws X as the step does
     */
    <T, X extends Exception> T on(FileIdentity file, Step<T, X> step) throws X {
        List<Runnable> after = new ArrayList<>(0);
        lock.lock();
        try {
            return step.on(files.computeIfAbsent(file, FileLocks::new), after);
        } finally {
            files.computeIfPresent(file, (_, locks) -> locks.isUnused() ? null : locks);
            lock.unlock();
            after.forEach(Runnable::run);
        }
    }
}
