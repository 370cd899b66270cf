package org.warpnfs.nfs.locks;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;

/** What the locks of a file at its backend have to know of the service. Takes the lock of the service for each step. */
final class FileBooks implements BackendLocks.Books {
    private static final long RELEASE_MILLIS = 1000;

    private final FileLocks locks;
    private final LocksByFile byFile;
    private final LineGrants grants;
    private final WaitingLines lines;
    private final LaterWork work;
    private final BackendPolls polls;

    FileBooks(
            FileLocks locks,
            LocksByFile byFile,
            LineGrants grants,
            WaitingLines lines,
            LaterWork work,
            BackendPolls polls) {
        this.locks = locks;
        this.byFile = byFile;
        this.grants = grants;
        this.lines = lines;
        this.work = work;
        this.polls = polls;
    }

    @Override
    public LockAttempt ended(Reservation reservation, @Nullable HeldLock holder, @Nullable FsException failure) {
        return byFile.on(locks.identity(), (_, after) -> {
            LockAttempt attempt = end(reservation, holder, failure, after);
            grants.grant(locks, after);
            return attempt;
        });
    }

    @Override
    public List<HeldLock> heldBefore(Reservation reservation) {
        return byFile.on(locks.identity(), (_, _) -> locks.heldBefore(reservation));
    }

    @Override
    public List<HeldLock> heldAtBackend(Locker owner) {
        return byFile.on(locks.identity(), (_, _) -> locks.heldAtBackend(owner));
    }

    @Override
    public BackendLocks.@Nullable Due nextOwed() {
        return byFile.look(locks::nextOwed);
    }

    @Override
    public void isMade(BackendLocks.Owed owed) {
        boolean _ = byFile.on(locks.identity(), (_, _) -> {
            locks.isMade(owed);
            return true;
        });
    }

    @Override
    public void putOff(BackendLocks.Owed owed) {
        boolean _ = byFile.on(locks.identity(), (_, _) -> {
            locks.putOff(owed);
            return true;
        });
    }

    @Override
    public void releaseLater() {
        BackendLocks backend = locks.backend();
        if (backend != null && byFile.look(locks::releaseLater)) {
            work.at(backend, RELEASE_MILLIS, () -> {
                boolean _ = byFile.look(() -> {
                    locks.releasesNow();
                    return true;
                });
                backend.carryOut();
            });
        }
    }

    @Override
    public void left(int owners) {
        boolean _ = byFile.on(locks.identity(), (_, _) -> {
            locks.sides(owners);
            return true;
        });
    }

    private LockAttempt end(
            Reservation reservation, @Nullable HeldLock holder, @Nullable FsException failure, List<Runnable> after) {
        Locker owner = reservation.owner();
        locks.pending().remove(owner);
        reservation.end();
        int before = locks.held().holdsOf(owner);
        LockAttempt.Outcome outcome = LockAttempt.Outcome.CANCELLED;
        if (reservation.isCancelled()) {
            locks.owe(owner, ByteRange.ALL);
        } else if (isTriedAnew(reservation, holder, failure)) {
            locks.restore(reservation);
            locks.owe(owner, reservation.range());
            outcome = LockAttempt.Outcome.WAITING;
        } else if (holder == null && failure == null && !reservation.isUnwanted()) {
            if (locks.confirm(reservation)) {
                locks.owe(owner, reservation.range());
            }
            outcome = LockAttempt.Outcome.GRANTED;
            grantedInLine(reservation, after);
            lines.removeServed(locks, owner);
        } else {
            locks.restore(reservation);
            locks.owe(owner, reservation.range());
            if (!reservation.isUnwanted()) {
                outcome = refused(reservation, failure);
            }
        }
        tellIfDropped(reservation, outcome, after);
        int more = locks.held().holdsOf(owner) - before;
        return failure != null && outcome == LockAttempt.Outcome.FAILED
                ? LockAttempt.failed(failure, more)
                : LockAttempt.ended(outcome, holder, more);
    }

    /**
     * True if a request of the line is to be tried anew: its owner has released a part while it was tried, and waits
     * for all of it.
     */
    private boolean isTriedAnew(Reservation reservation, @Nullable HeldLock holder, @Nullable FsException failure) {
        Waiting asked = reservation.orWait();
        boolean isAnew = asked != null
                && reservation.isOfTheLine()
                && reservation.isReleased()
                && !reservation.isUnwanted()
                && holder == null
                && failure == null
                && locks.waiting().contains(asked);
        if (asked != null && isAnew) {
            lines.inLine(asked).tryLater(false);
        }
        return isAnew;
    }

    /** Tells the waiter of a request that was in line, unless that is the caller of a request of its own. */
    private void grantedInLine(Reservation reservation, List<Runnable> after) {
        Waiting asked = reservation.orWait();
        if (asked != null) {
            lines.remove(asked);
            if (reservation.isOfTheLine()) {
                after.add(() -> work.tell(asked.waiter()::granted));
            }
        }
    }

    private void tellIfDropped(Reservation reservation, LockAttempt.Outcome outcome, List<Runnable> after) {
        Waiting asked = reservation.orWait();
        boolean ends = outcome == LockAttempt.Outcome.CANCELLED || outcome == LockAttempt.Outcome.FAILED;
        if (asked != null && reservation.isOfTheLine() && ends) {
            after.add(() -> work.tell(asked.waiter()::dropped));
        }
    }

    /**
     * Lets a request stand in line for a lock of somebody else, or for a backend that has no time now, if it may wait.
     * A request that the backend refuses for another reason leaves the line.
     */
    private LockAttempt.Outcome refused(Reservation reservation, @Nullable FsException failure) {
        Waiting asked = reservation.orWait();
        boolean mayWait = failure == null || (reservation.isOfTheLine() && failure.error() == FsError.TRY_LATER);
        if (!mayWait) {
            if (asked != null) {
                lines.remove(asked);
            }
            return LockAttempt.Outcome.FAILED;
        }
        if (asked == null) {
            return LockAttempt.Outcome.DENIED;
        }
        boolean stands = lines.renew(asked) || lines.add(asked);
        if (stands) {
            lines.inLine(asked).tryLater(true);
            polls.begin(locks);
        }
        if (asked.asksAgain()) {
            return LockAttempt.Outcome.DENIED;
        }
        return stands ? LockAttempt.Outcome.WAITING : LockAttempt.Outcome.NO_ROOM;
    }
}
