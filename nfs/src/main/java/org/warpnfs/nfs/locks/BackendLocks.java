package org.warpnfs.nfs.locks;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OwnerLocks;

/**
 * The locks on one file as its backend has them.
 *
 * <h2>Operation</h2>
 *
 * The backend never has more locked than the service has granted, or owes to release. A lock is granted by the service
 * first ({@link Reservation}), then taken here. A release is noted by the service first ({@link Owed}), then made here,
 * before any other lock is tried. So a lock that is in the way here is somebody else's.
 *
 * <p>A release that fails is put off, and hinders no lock of others meanwhile. If it fails again and again, the owner's
 * locks are closed, which releases all, and those that it still has are taken anew, now or when the backend can. A
 * backend that has no time is no failure.
 *
 * <p>A file may be reached through several file systems: one for each export. All are known, and the first serves. When
 * one is no longer served, locks that were taken through it are taken through another.
 *
 * <p>A backend may say of a file that it has no locks for it. Locks are then kept by the service alone, until nobody
 * has any.
 *
 * <p>One thread at a time calls the backend for a file, under a lock of this class. That lock comes before the lock of
 * the service, and after none. Nobody waits for it longer than {@value #PATIENCE_MILLIS} ms.
 */
final class BackendLocks {
    private static final Logger LOG = LoggerFactory.getLogger(BackendLocks.class);
    static final long PATIENCE_MILLIS = 2000;
    private static final int MAX_FAILURES = 5;

    private final ReentrantLock lock = new ReentrantLock(true);
    private final Books books;
    private final BackendLocking share;
    private final List<LockedFile> routes = new CopyOnWriteArrayList<>();
    private final Map<Locker, OwnerSide> sides = new HashMap<>();
    private final Map<Owed, Integer> failures = new HashMap<>();
    /** Owners some of whose locks have still to be taken anew. */
    private final Set<Locker> incomplete = new HashSet<>(0);

    private boolean isAbsent;
    /** True if some locks may have been taken through a file system that is no longer served. */
    private volatile boolean withdrawn;

    /** A range in which the backend may have more locked for an owner than the service. */
    record Owed(Locker owner, ByteRange range) {}

    /** What the service has for an owner in a range that is owed. */
    record Due(Owed owed, boolean nothing, List<HeldLock> held) {}

    /** What the service knows of the file. */
    interface Books {
        /** Ends a reservation: confirms it if the backend has the lock, else restores what was. */
        LockAttempt ended(Reservation reservation, @Nullable HeldLock holder, @Nullable FsException failure);

        /** What the owner had locked before the reservation. */
        List<HeldLock> heldBefore(Reservation reservation);

        /** What the owner has locked, without what is reserved. */
        List<HeldLock> heldAtBackend(Locker owner);

        /** The first release that is owed; null if there is none. */
        @Nullable
        Due nextOwed();

        /** Notes that a release was made. */
        void isMade(Owed owed);

        /** Notes that a release could not be made now. */
        void putOff(Owed owed);

        /** Has {@link #carryOut} called later. */
        void releaseLater();

        /** Notes how many owners have something at the backend, and that nothing is done there now. */
        void left(int owners);
    }

    BackendLocks(Books books, LockedFile first, BackendLocking share) {
        this.books = books;
        this.share = share;
        routes.add(first);
    }

    /** Notes a file system through which the file is reached. Waits for nothing. */
    void reachedBy(LockedFile route) {
        if (routes.stream().noneMatch(known -> known.backend() == route.backend())) {
            routes.add(route);
        }
    }

    /** The file system that serves; null if there is none any more. */
    @Nullable
    FileSystem backend() {
        for (LockedFile route : routes) {
            return route.backend();
        }
        return null;
    }

    private LockedFile route() throws FsException {
        for (LockedFile route : routes) {
            return route;
        }
        throw FsException.of(FsError.STALE);
    }

    /** Takes what is reserved. */
    LockAttempt settle(Reservation reservation) {
        if (!acquire()) {
            LockAttempt attempt = books.ended(reservation, null, FsException.of(FsError.TRY_LATER));
            books.releaseLater();
            return attempt;
        }
        try {
            Optional<OwnerLocks.Holder> holder = Optional.empty();
            FsException failure = null;
            try {
                makeReleases();
                holder = isAbsent ? Optional.empty() : taken(reservation);
            } catch (FsException e) {
                failure = e;
            } catch (RuntimeException | Error e) {
                // The reservation has to end, whatever it was.
                LOG.error("a backend failed to lock: a defect", e);
                failure = FsException.of(FsError.IO);
            }
            LockAttempt attempt =
                    books.ended(reservation, holder.map(HostProcess::held).orElse(null), failure);
            makeReleases();
            return attempt;
        } finally {
            release();
        }
    }

    /** True if this thread has the lock now; it did not wait for ever for a backend that does not answer. */
    private boolean acquire() {
        try {
            return lock.tryLock(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void release() {
        try {
            books.left(sides.size());
        } finally {
            lock.unlock();
        }
    }

    private Optional<OwnerLocks.Holder> taken(Reservation reservation) throws FsException {
        try {
            return take(reservation);
        } catch (FsException e) {
            // Without a lock of anybody, it is not that there are too many.
            boolean hasNone = e.error() == FsError.NOT_SUPPORTED
                    || (e.error() == FsError.NO_LOCKS
                            && e != share.noRoom()
                            && sides.values().stream().noneMatch(OwnerSide::hasLocked));
            if (!hasNone) {
                throw e;
            }
            LOG.info(
                    "Locks on a file are known to this server alone, since its file system has none: {}",
                    e.getMessage());
            isAbsent = true;
            closeAll();
            return Optional.empty();
        }
    }

    private Optional<OwnerLocks.Holder> take(Reservation reservation) throws FsException {
        OwnerSide side = sideOf(reservation);
        for (ByteRange part : partsOf(reservation)) {
            Optional<OwnerLocks.Holder> holder = side.tryLock(reservation.exclusive(), part);
            if (holder.isPresent() && releaseGone()) {
                holder = side.tryLock(reservation.exclusive(), part);
            }
            if (holder.isPresent()) {
                return holder;
            }
        }
        return Optional.empty();
    }

    /**
     * What has to be taken for a reservation. Where a shared lock replaces an exclusive one, the latter stays until the
     * reservation is confirmed: it could not be got back for certain.
     */
    private static List<ByteRange> partsOf(Reservation reservation) {
        List<ByteRange> parts = List.of(reservation.range());
        if (!reservation.exclusive()) {
            for (HeldLock had : reservation.before()) {
                if (had.exclusive()) {
                    parts = parts.stream()
                            .flatMap(part -> part.without(had.range()).stream())
                            .toList();
                }
            }
        }
        return parts;
    }

    /** The owner's locks, opened so that this kind of lock can be taken. */
    private OwnerSide sideOf(Reservation reservation) throws FsException {
        Locker owner = reservation.owner();
        OwnerSide side = sides.get(owner);
        if (side == null) {
            if (!share.tryTake(owner.address())) {
                throw share.noRoom();
            }
            try {
                side = OwnerSide.open(route(), reservation.exclusive());
                sides.put(owner, side);
            } finally {
                if (side == null) {
                    share.give(owner.address());
                }
            }
        } else if (reservation.exclusive() && !side.isWritable()) {
            OwnerSide wider = OwnerSide.open(route(), true);
            boolean moved = false;
            try {
                moved = wider.takeShared(books.heldBefore(reservation));
            } finally {
                if (!moved) {
                    wider.close();
                }
            }
            if (!moved) {
                throw FsException.of(FsError.TRY_LATER);
            }
            sides.put(owner, wider);
            side.close();
            side = wider;
        }
        return side;
    }

    /** Closes the locks of owners that are gone and that nobody has released yet. Returns false if there were none. */
    private boolean releaseGone() {
        List<Locker> gone = sides.keySet().stream().filter(Locker::isGone).toList();
        gone.forEach(this::close);
        return !gone.isEmpty();
    }

    private void closeAll() {
        List.copyOf(sides.keySet()).forEach(this::close);
    }

    private void close(Locker owner) {
        OwnerSide side = sides.remove(owner);
        incomplete.remove(owner);
        failures.keySet().removeIf(owed -> owed.owner().equals(owner));
        if (side != null) {
            share.give(owner.address());
            side.close();
        }
    }

    /** Makes the releases that are owed. Must be called without a lock. */
    void carryOut() {
        if (!acquire()) {
            books.releaseLater();
            return;
        }
        try {
            makeReleases();
        } finally {
            release();
        }
    }

    private void makeReleases() {
        if (withdrawn) {
            leaveWithdrawn();
        }
        List.copyOf(incomplete).forEach(this::complete);
        Set<Owed> failed = new HashSet<>(0);
        for (Due due = books.nextOwed(); due != null && !failed.contains(due.owed()); due = books.nextOwed()) {
            if (isMade(due)) {
                failures.remove(due.owed());
                books.isMade(due.owed());
            } else {
                failed.add(due.owed());
                books.putOff(due.owed());
            }
        }
        if (withdrawn || !incomplete.isEmpty() || !failed.isEmpty()) {
            books.releaseLater();
        }
    }

    private boolean isMade(Due due) {
        Locker owner = due.owed().owner();
        OwnerSide side = sides.get(owner);
        if (side == null) {
            return true;
        }
        if (due.nothing()) {
            close(owner);
            return true;
        }
        try {
            side.release(due.owed().range(), due.held());
            return true;
        } catch (FsException e) {
            LOG.debug("a lock cannot be released yet: {}", e.getMessage());
            if (e.error() == FsError.TRY_LATER) {
                return false;
            }
        } catch (RuntimeException | Error e) {
            LOG.error("a backend failed to release a lock: a defect", e);
        }
        return failures.merge(due.owed(), 1, Integer::sum) >= MAX_FAILURES && takeAnew(owner, side);
    }

    /**
     * Closes the locks of an owner, and takes those anew that it still has. Returns false if that cannot be begun now,
     * and nothing has changed.
     */
    private boolean takeAnew(Locker owner, OwnerSide old) {
        OwnerSide side;
        try {
            side = OwnerSide.open(route(), old.isWritable());
        } catch (FsException e) {
            boolean isGone = e.error() == FsError.STALE || e.error() == FsError.NOT_SUPPORTED;
            if (isGone) {
                LOG.info("Locks of a client end with their file: {}", e.getMessage());
                close(owner);
            }
            return isGone;
        } catch (RuntimeException | Error e) {
            LOG.error("a backend failed to open a file for its locks: a defect", e);
            return false;
        }
        sides.put(owner, side);
        old.close();
        complete(owner);
        return true;
    }

    /** Takes what the owner has locked and the backend may not have. What fails is tried again later. */
    private void complete(Locker owner) {
        OwnerSide side = sides.get(owner);
        if (side == null) {
            incomplete.remove(owner);
            return;
        }
        int lost = 0;
        boolean isOver = true;
        try {
            for (HeldLock held : books.heldAtBackend(owner)) {
                if (OwnerSide.reaches(held.range())
                        && side.tryLock(held.exclusive(), held.range()).isPresent()) {
                    lost++;
                }
            }
        } catch (FsException e) {
            isOver = e.error() == FsError.STALE;
            if (isOver || !incomplete.contains(owner)) {
                LOG.warn("Locks of a client are not known to others now: {}", e.getMessage());
            }
        } catch (RuntimeException | Error e) {
            isOver = false;
            LOG.error("a backend failed to take locks anew: a defect", e);
        }
        if (isOver) {
            incomplete.remove(owner);
        } else {
            incomplete.add(owner);
        }
        if (isOver && lost > 0) {
            LOG.warn("{} locks of a client are not known to others any more: somebody else was faster", lost);
        }
    }

    /** A file system is no longer served. Locks that were taken through it are taken through another. */
    void withdraw(FileSystem fileSystem) {
        if (routes.removeIf(route -> route.backend() == fileSystem)) {
            withdrawn = true;
            carryOut();
        }
    }

    private void leaveWithdrawn() {
        withdrawn = false;
        boolean all = true;
        for (Map.Entry<Locker, OwnerSide> each : List.copyOf(sides.entrySet())) {
            OwnerSide side = each.getValue();
            if (routes.stream().noneMatch(route -> side.isThrough(route.backend()))) {
                all &= takeAnew(each.getKey(), side);
            }
        }
        if (!all) {
            withdrawn = true;
        }
    }

    /** A lock of somebody else that conflicts; null if there is none. Must be called without a lock. */
    @Nullable
    HeldLock test(Locker owner, boolean exclusive, ByteRange range) throws FsException {
        if (!acquire()) {
            throw FsException.of(FsError.TRY_LATER);
        }
        try {
            makeReleases();
            return isAbsent ? null : tested(owner, exclusive, range);
        } catch (FsException e) {
            if (e.error() == FsError.NOT_SUPPORTED || e.error() == FsError.NO_LOCKS) {
                return null;
            }
            throw e;
        } catch (RuntimeException e) {
            LOG.error("a backend failed to test a lock: a defect", e);
            throw FsException.of(FsError.IO);
        } finally {
            release();
        }
    }

    private @Nullable HeldLock tested(Locker owner, boolean exclusive, ByteRange range) throws FsException {
        OwnerSide side = sides.get(owner);
        if (side != null) {
            return test(side, exclusive, range);
        }
        OwnerSide own = OwnerSide.open(route(), false);
        try {
            return test(own, exclusive, range);
        } finally {
            own.close();
        }
    }

    private @Nullable HeldLock test(OwnerSide side, boolean exclusive, ByteRange range) throws FsException {
        Optional<OwnerLocks.Holder> holder = side.test(exclusive, range);
        if (holder.isPresent() && releaseGone()) {
            holder = side.test(exclusive, range);
        }
        return holder.map(HostProcess::held).orElse(null);
    }
}
