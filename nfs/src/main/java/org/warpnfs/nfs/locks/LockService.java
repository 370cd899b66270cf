package org.warpnfs.nfs.locks;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
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
 * place of waiting to be granted, counts as waiting for a while after each time that it has asked ({@link Asking}).
 *
 * <p>If the file's backend has locks, a lock is taken there too. It is granted here first, as a {@link Reservation},
 * which the caller settles without any lock. A lock of somebody else at the backend is met only then; who waits for one
 * is tried again by {@link BackendPolls}.
 *
 * <p>The service has one lock of its own, under which nothing is called but {@link Locker}. It may be called under the
 * lock of NFSv4 state, but for what is said to wait. Safe for any thread.
 */
public final class LockService {
    private static final LockWaiter NOBODY = () -> {};

    private final LocksByFile byFile = new LocksByFile();
    private final WaitingLines lines;
    private final LineGrants grants;
    private final BackendLocking backends;
    private final BackendRoutes routes;
    private final OwnerTurns ownerTurns = new OwnerTurns();
    private volatile boolean reclaiming;
    private volatile long reclaimEndNanos;
    private volatile BooleanSupplier settling = () -> true;
    /** True once it is on stable storage that the time in which locks are only reclaimed is over. */
    private volatile boolean settled = true;

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

    LockService(int maxWaiting, Executor notices, BackendLocking backends, LaterWork.Later later) {
        this(maxWaiting, notices, backends, later, System::nanoTime);
    }

    LockService(
            int maxWaiting, Executor notices, BackendLocking backends, LaterWork.Later later, LongSupplier clockNanos) {
        LaterWork work = new LaterWork(notices, backends, later);
        this.lines = new WaitingLines(maxWaiting, clockNanos);
        this.grants = new LineGrants(byFile, lines, work);
        this.backends = backends;
        BackendPolls polls = new BackendPolls(byFile, grants, lines, work);
        this.routes =
                new BackendRoutes(byFile, backends, locks -> new FileBooks(locks, byFile, grants, lines, work, polls));
    }

    /** A lock of another owner that conflicts; null if there is none. Those at the backend are not asked. */
    public @Nullable HeldLock conflict(FileIdentity file, Locker owner, boolean exclusive, ByteRange range)
            throws LocksBusyException {
        return byFile.ask(
                        file,
                        Optional.<HeldLock>empty(),
                        locks -> Optional.ofNullable(locks.conflict(owner, exclusive, range)))
                .orElse(null);
    }

    /** True if anyone has a lock on the file or waits for one. */
    public boolean isUsed(FileIdentity file) {
        return byFile.ask(file, false, _ -> true);
    }

    /**
     * A lock that somebody else has at the backend and that conflicts; null if there is none. Waits as the backend
     * does; must be called without a lock.
     */
    public @Nullable HeldLock conflictAtBackend(LockedFile file, Locker owner, boolean exclusive, ByteRange range)
            throws FsException {
        return routes.conflict(file, owner, exclusive, range);
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
        routes.withdraw(fileSystem);
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
        return byFile.on(file.identity(), (locks, after) -> {
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
        return byFile.on(file.identity(), (locks, after) -> {
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
            routes.note(locks, file, range);
            boolean stands = lines.add(asked);
            if (holder == null) {
                // Those before it may give up.
                grants.grant(locks, after);
            }
            return LockAttempt.refused(stands ? LockAttempt.Outcome.WAITING : LockAttempt.Outcome.NO_ROOM, holder);
        });
    }

    /**
     * Locks the range if it is the owner's turn. If not, the request stands in line: its owner is told when its turn
     * has come, and asks again ({@link LineGrants}). A request for which the line has no room is denied all the same.
     */
    public LockAttempt lockInTurn(
            LockedFile file, Locker owner, boolean exclusive, ByteRange range, ClientAddress client, LockWaiter waiter)
            throws LocksBusyException {
        return byFile.on(file.identity(), (locks, after) -> {
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
            if (holder == null) {
                // Those before it may give up.
                grants.grant(locks, after);
            }
            HeldLock inTheWay = holder != null || earlier == null
                    ? holder
                    : new HeldLock(earlier.owner(), earlier.exclusive(), earlier.range());
            return LockAttempt.refused(LockAttempt.Outcome.DENIED, inTheWay);
        });
    }

    /** True if the owner would wait for itself, if it waited for the range: {@link LockAttempt.Outcome#DEADLOCK}. */
    public boolean wouldWaitForItself(LockedFile file, Locker owner, boolean exclusive, ByteRange range) {
        return byFile.on(
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
        boolean _ = byFile.on(file.identity(), (locks, after) -> {
            Waiting asked = new Waiting(locks, owner, exclusive, range, client, true, waiter);
            boolean stands = lines.renew(asked) || lines.add(asked);
            if (stands) {
                // What was in its way may have gone meanwhile.
                grants.grant(locks, after);
            }
            return stands;
        });
    }

    /** Takes a request that may wait out of the line, or ends it while it is tried. Returns false if there is none. */
    public boolean cancel(FileIdentity file, Locker owner, boolean exclusive, ByteRange range) {
        return byFile.on(file, (locks, after) -> {
            boolean found = lines.remove(locks, owner, exclusive, range);
            Reservation pending = locks.pending().get(owner);
            if (pending != null
                    && pending.orWait() != null
                    && pending.exclusive() == exclusive
                    && pending.range().equals(range)) {
                pending.unwant();
                found = true;
            }
            grants.grant(locks, after);
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
        boolean _ = byFile.on(file, (locks, after) -> {
            boolean some = lines.removeIf(locks, request -> which.test(request.waiter()));
            if (some) {
                grants.grant(locks, after);
            }
            return some;
        });
    }

    /**
     * Takes all requests of owners of this address that fit out of the lines: their client cannot ask for them any
     * more.
     */
    public void giveUpAll(ClientAddress address, Predicate<Locker> owners) {
        byFile.look(() -> lines.filesOf(address, owners)).forEach(file -> {
            boolean _ = byFile.on(file, (locks, after) -> {
                boolean some = lines.removeIf(locks, request -> owners.test(request.owner()));
                grants.grant(locks, after);
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
        return byFile.on(file, (locks, after) -> {
            Reservation pending = locks.pending().get(owner);
            if (pending != null) {
                pending.release(range);
            }
            int before = locks.held().holdsOf(owner);
            locks.held().unlock(owner, range);
            lines.removeGivenUp(locks, owner, range);
            owe(locks, owner, range, releases, after);
            grants.grant(locks, after);
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
        return byFile.on(file, (locks, after) -> {
            int before = locks.held().holdsOf(owner);
            locks.held().unlockAll(owner);
            lines.removeAll(locks, owner);
            Reservation pending = locks.pending().get(owner);
            if (pending != null) {
                pending.cancel();
            }
            owe(locks, owner, ByteRange.ALL, releases, after);
            grants.grant(locks, after);
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
        return byFile.ask(file, List.of(), locks -> locks.held().of(owner, most).stream()
                .map(HeldLock::of)
                .toList());
    }

    /** Number of the owner's locks on the file. */
    public int countOf(FileIdentity file, Locker owner) {
        return byFile.ask(file, 0, locks -> locks.held().holdsOf(owner));
    }

    /** True if the owner stands in line for a lock on the file. */
    public boolean isWaiting(FileIdentity file, Locker owner) {
        return byFile.ask(file, false, locks -> lines.isWaiting(locks, owner));
    }

    /**
     * Begins a time after the start in which locks are only reclaimed.
     *
     * @param settles writes that this time is over; false if it could not. May wait for a disk
     */
    public void reclaimUntil(long endNanos, BooleanSupplier settles) {
        reclaimEndNanos = endNanos;
        settling = settles;
        settled = false;
        reclaiming = true;
    }

    /** If the time to reclaim is over, has that written. May wait for a disk. */
    public void settleReclaims(long nowNanos) {
        if (!settled && !isReclaiming(nowNanos)) {
            settled = settling.getAsBoolean();
        }
    }

    /**
     * True if the time to reclaim is over, and that is on stable storage. Before, nobody may get a lock without
     * reclaiming it: after a crash its holder of before the start could reclaim it too. Answers at once.
     */
    public boolean areReclaimsOver(long nowNanos) {
        return settled && !isReclaiming(nowNanos);
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
        grants.holdBackWhile(condition);
    }

    /** True while those in line are not granted. Answers at once. */
    public boolean isHeldBack() {
        return grants.isHeldBack();
    }

    /** Grants what could not be granted while those in line were held back. */
    public void grantHeldBack() {
        grants.grantHeldBack();
    }

    /** True while a lock is being taken at a backend. */
    public boolean isTaking() {
        return byFile.isAnyTaking();
    }

    /** Whether and how locks are taken at backends, and by how many owners. */
    public BackendLocking backends() {
        return backends;
    }

    /** Number of requests in line. */
    public int waiting() {
        return byFile.look(lines::count);
    }

    /** Number of locks and requests that searches in lines have looked at so far. For tests. */
    long steps() {
        return byFile.look(lines::steps);
    }

    /** Number of files that have locks or lines. */
    int files() {
        return byFile.count();
    }

    /** Takes what may be granted. Called under the lock. */
    private LockAttempt take(
            FileLocks locks,
            LockedFile file,
            Locker owner,
            boolean exclusive,
            ByteRange range,
            @Nullable Waiting asked,
            List<Runnable> after) {
        routes.note(locks, file, range);
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
            grants.grant(locks, after);
        }
        return LockAttempt.granted(locks.held().holdsOf(owner) - before);
    }
}
