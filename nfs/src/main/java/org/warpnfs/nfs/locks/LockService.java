package org.warpnfs.nfs.locks;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileIdentity;
import org.warpnfs.limits.ClientAddress;

/**
 * The byte-range locks of all clients and protocols, by file (RFC 8881, section 9.1, X/Open XNFS, chapter 10).
 *
 * <h2>Operation</h2>
 *
 * Locks have POSIX semantics: what an owner locks replaces what it had of the range. Requests that wait stand in line
 * by file. When a lock is released, those in line are granted in their order: none is granted while an earlier one
 * waits for a conflicting range. A request that may wait does not pass an earlier one either, unless its owner has
 * locks on the file already or would wait for itself. A request that does not wait only minds locks that are held.
 *
 * <p>A request is not put in line if it would close a circle of owners that wait for each other.
 *
 * <p>The service has one lock of its own, under which nothing is called but {@link Locker}. It may be called under the
 * lock of NFSv4 state. Safe for any thread.
 */
public final class LockService {
    private static final int TURN_SECONDS = 2;

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<FileIdentity, FileLocks> files = new HashMap<>();
    private final WaitingLines lines;
    private final Executor notices;
    private final Executor afterTurn;
    private long turns;
    private volatile boolean reclaiming;
    private volatile long reclaimEndNanos;

    /**
     * @param maxWaiting limit of requests in line
     * @param notices runs what waiters are told; must not run it on the thread that hands it over
     */
    public LockService(int maxWaiting, Executor notices) {
        this(maxWaiting, notices, CompletableFuture.delayedExecutor(TURN_SECONDS, TimeUnit.SECONDS, notices));
    }

    /** @param afterTurn runs what follows a turn, when its time is up */
    LockService(int maxWaiting, Executor notices, Executor afterTurn) {
        this.lines = new WaitingLines(maxWaiting);
        this.notices = notices;
        this.afterTurn = afterTurn;
    }

    /** A lock of another owner that conflicts; null if there is none. */
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

    /** Locks the range, unless another owner has a conflicting lock. */
    public LockAttempt lock(FileIdentity file, Locker owner, boolean exclusive, ByteRange range)
            throws LocksBusyException {
        List<LockWaiter> told = new ArrayList<>();
        lock.lock();
        try {
            FileLocks locks = files.computeIfAbsent(file, _ -> new FileLocks(file));
            HeldLock holder = locks.conflict(owner, exclusive, range);
            if (holder != null) {
                return LockAttempt.refused(LockAttempt.Outcome.DENIED, holder);
            }
            return LockAttempt.granted(take(locks, owner, exclusive, range, told));
        } finally {
            leave(file, told);
        }
    }

    /**
     * Locks the range, or waits in line for it. A request that is in line already stays where it is, with the new
     * waiter.
     *
     * @param client whose share of the lines it takes
     */
    public LockAttempt lockOrWait(
            FileIdentity file,
            Locker owner,
            boolean exclusive,
            ByteRange range,
            ClientAddress client,
            LockWaiter waiter)
            throws LocksBusyException {
        List<LockWaiter> told = new ArrayList<>();
        lock.lock();
        try {
            FileLocks locks = files.computeIfAbsent(file, _ -> new FileLocks(file));
            HeldLock holder = locks.conflict(owner, exclusive, range);
            Waiting asked = new Waiting(locks, owner, exclusive, range, client, false, waiter);
            if (holder == null && (locks.holds(owner) || !locks.isBehindAnother(asked) || lines.closesCircle(asked))) {
                lines.remove(asked);
                return LockAttempt.granted(take(locks, owner, exclusive, range, told));
            }
            if (lines.renew(asked)) {
                return LockAttempt.refused(LockAttempt.Outcome.WAITING, holder);
            }
            if (lines.closesCircle(asked)) {
                return LockAttempt.refused(LockAttempt.Outcome.DEADLOCK, holder);
            }
            return LockAttempt.refused(
                    lines.add(asked) ? LockAttempt.Outcome.WAITING : LockAttempt.Outcome.NO_ROOM, holder);
        } finally {
            leave(file, told);
        }
    }

    /**
     * Locks the range if it is the owner's turn. If not, the request stands in line: its owner is told when its turn
     * has come, and has {@value #TURN_SECONDS} seconds to ask again, in which nobody behind it is served. A request for
     * which the line has no room is denied all the same.
     */
    public LockAttempt lockInTurn(
            FileIdentity file,
            Locker owner,
            boolean exclusive,
            ByteRange range,
            ClientAddress client,
            LockWaiter waiter)
            throws LocksBusyException {
        List<LockWaiter> told = new ArrayList<>();
        lock.lock();
        try {
            FileLocks locks = files.computeIfAbsent(file, _ -> new FileLocks(file));
            HeldLock holder = locks.conflict(owner, exclusive, range);
            Waiting asked = new Waiting(locks, owner, exclusive, range, client, true, waiter);
            Waiting earlier = locks.before(asked);
            if (holder == null && (earlier == null || locks.holds(owner))) {
                lines.remove(asked);
                return LockAttempt.granted(take(locks, owner, exclusive, range, told));
            }
            if (!lines.renew(asked)) {
                lines.add(asked);
            }
            HeldLock inTheWay = holder != null || earlier == null
                    ? holder
                    : new HeldLock(earlier.owner(), earlier.exclusive(), earlier.range());
            return LockAttempt.refused(LockAttempt.Outcome.DENIED, inTheWay);
        } finally {
            leave(file, told);
        }
    }

    /** Puts a request in line that was denied: its owner is told of its turn, as by {@link #lockInTurn}. */
    public void stand(
            FileIdentity file,
            Locker owner,
            boolean exclusive,
            ByteRange range,
            ClientAddress client,
            LockWaiter waiter) {
        List<LockWaiter> told = new ArrayList<>();
        lock.lock();
        try {
            FileLocks locks = files.computeIfAbsent(file, _ -> new FileLocks(file));
            Waiting asked = new Waiting(locks, owner, exclusive, range, client, true, waiter);
            if (lines.renew(asked) || lines.add(asked)) {
                // What was in its way may have gone meanwhile.
                grant(locks, told);
            }
        } finally {
            leave(file, told);
        }
    }

    /** Ends a turn that its owner did not use. */
    private void endTurn(FileIdentity file, Waiting request, long turn) {
        List<LockWaiter> told = new ArrayList<>();
        lock.lock();
        try {
            if (request.turn() == turn && request.file().waiting().contains(request)) {
                lines.remove(request);
                grant(request.file(), told);
            }
        } finally {
            leave(file, told);
        }
    }

    /** Takes a request out of the line. Returns false if it was not in it. */
    public boolean cancel(FileIdentity file, Locker owner, boolean exclusive, ByteRange range) {
        List<LockWaiter> told = new ArrayList<>();
        lock.lock();
        try {
            FileLocks locks = files.get(file);
            if (locks == null || !lines.remove(locks, owner, exclusive, range)) {
                return false;
            }
            grant(locks, told);
            return true;
        } finally {
            leave(file, told);
        }
    }

    /** Releases what the owner has locked of the range. Returns by how many its ranges have grown, or shrunk. */
    public int unlock(FileIdentity file, Locker owner, ByteRange range) {
        List<LockWaiter> told = new ArrayList<>();
        lock.lock();
        try {
            FileLocks locks = files.get(file);
            if (locks == null) {
                return 0;
            }
            int before = locks.held().holdsOf(owner);
            locks.held().unlock(owner, range);
            grant(locks, told);
            return locks.held().holdsOf(owner) - before;
        } finally {
            leave(file, told);
        }
    }

    /** Releases all locks of the owner on the file, and takes its requests out of the line. As {@link #unlock}. */
    public int unlockAll(FileIdentity file, Locker owner) {
        List<LockWaiter> told = new ArrayList<>();
        lock.lock();
        try {
            FileLocks locks = files.get(file);
            if (locks == null) {
                return 0;
            }
            int before = locks.held().holdsOf(owner);
            locks.held().unlockAll(owner);
            lines.removeAll(locks, owner);
            grant(locks, told);
            return -before;
        } finally {
            leave(file, told);
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

    private int take(FileLocks locks, Locker owner, boolean exclusive, ByteRange range, List<LockWaiter> told) {
        int before = locks.held().holdsOf(owner);
        locks.held().lock(owner, exclusive, range);
        if (!exclusive) {
            // It may have been an exclusive one before.
            grant(locks, told);
        }
        return locks.held().holdsOf(owner) - before;
    }

    /** Grants what can be granted, in order. */
    private void grant(FileLocks locks, List<LockWaiter> told) {
        if (locks.waiting().isEmpty()) {
            return;
        }
        for (Waiting next : List.copyOf(locks.waiting())) {
            if (next.owner().isGone()) {
                lines.remove(next);
            } else if (next.turn() == 0 && !locks.isBehindAnother(next) && locks.isFree(next)) {
                if (next.asksAgain()) {
                    beginTurn(next);
                } else {
                    locks.held().lock(next.owner(), next.exclusive(), next.range());
                    lines.remove(next);
                }
                told.add(next.waiter());
            }
        }
    }

    private void beginTurn(Waiting request) {
        long turn = ++turns;
        request.turn(turn);
        afterTurn.execute(() -> endTurn(request.file().identity(), request, turn));
    }

    private void leave(FileIdentity file, List<LockWaiter> told) {
        FileLocks locks = files.get(file);
        if (locks != null && locks.held().isEmpty() && locks.waiting().isEmpty()) {
            files.remove(file);
        }
        lock.unlock();
        told.forEach(waiter -> notices.execute(waiter::granted));
    }
}
