package org.warpnfs.nfs.locks;

import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;
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
 * <p>One thread at a time calls the backend for a file, under a lock of this class. That lock comes before the lock of
 * the service, and after none.
 */
final class BackendLocks {
    private static final Logger LOG = LoggerFactory.getLogger(BackendLocks.class);

    private final ReentrantLock lock = new ReentrantLock();
    private final Books books;
    private final FileSystem backend;
    private final FileHandle handle;
    private final BackendLocking share;
    private final Map<Locker, Side> sides = new HashMap<>();

    /** The locks of one owner. */
    private record Side(OwnerLocks locks, boolean writable) {}

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

        /** The first release that is owed; null if there is none. */
        @Nullable
        Due nextOwed();

        /** Notes that a release was made. */
        void isMade(Owed owed);

        /** Has {@link #carryOut} called later, since a release failed. */
        void releaseLater();

        /** Notes how many owners have something at the backend, and that nothing is done there now. */
        void left(int owners);
    }

    BackendLocks(Books books, FileSystem backend, FileHandle handle, BackendLocking share) {
        this.books = books;
        this.backend = backend;
        this.handle = handle;
        this.share = share;
    }

    /** Takes what is reserved. */
    LockAttempt settle(Reservation reservation) {
        lock.lock();
        try {
            Optional<OwnerLocks.Holder> holder = Optional.empty();
            FsException failure = null;
            try {
                makeReleases();
                holder = take(reservation);
            } catch (FsException e) {
                failure = e;
            } catch (RuntimeException e) {
                LOG.error("a backend failed to lock: a defect", e);
                failure = FsException.of(FsError.IO);
            }
            LockAttempt attempt =
                    books.ended(reservation, holder.map(HostProcess::held).orElse(null), failure);
            makeReleasesQuietly();
            return attempt;
        } finally {
            books.left(sides.size());
            lock.unlock();
        }
    }

    private Optional<OwnerLocks.Holder> take(Reservation reservation) throws FsException {
        Side side = sideOf(reservation);
        long first = reservation.range().first();
        long last = lastOf(reservation.range());
        Optional<OwnerLocks.Holder> holder = side.locks.tryLock(reservation.exclusive(), first, last);
        if (holder.isPresent() && releaseGone()) {
            holder = side.locks.tryLock(reservation.exclusive(), first, last);
        }
        return holder;
    }

    /** The owner's locks, opened so that this kind of lock can be taken. */
    private Side sideOf(Reservation reservation) throws FsException {
        Locker owner = reservation.owner();
        Side side = sides.get(owner);
        if (side == null) {
            if (!share.tryTake(owner.address())) {
                throw FsException.of(FsError.NO_LOCKS, "too many owners have locks");
            }
            boolean opened = false;
            try {
                side = open(reservation.exclusive());
                opened = true;
            } finally {
                if (!opened) {
                    share.give(owner.address());
                }
            }
            sides.put(owner, side);
        } else if (reservation.exclusive() && !side.writable) {
            Side wider = open(true);
            boolean moved = false;
            try {
                move(reservation, wider.locks);
                moved = true;
            } finally {
                if (!moved) {
                    wider.locks.close();
                }
            }
            side.locks.close();
            side = wider;
            sides.put(owner, side);
        }
        return side;
    }

    /** A file that is locked by readers alone is not opened to write, which would keep it from being executed. */
    private Side open(boolean exclusive) throws FsException {
        return new Side(backend.openLocks(handle, exclusive ? OpenAccess.READ_WRITE : OpenAccess.READ), exclusive);
    }

    /** Takes the owner's locks once more, all of them shared, so that the first instance can be closed. */
    private void move(Reservation reservation, OwnerLocks wider) throws FsException {
        for (HeldLock held : books.heldBefore(reservation)) {
            if (!held.exclusive()
                    && reaches(held.range())
                    && wider.tryLock(false, held.range().first(), lastOf(held.range()))
                            .isPresent()) {
                throw FsException.of(FsError.TRY_LATER);
            }
        }
    }

    /** Closes the locks of owners that are gone and that nobody has released yet. Returns false if there were none. */
    private boolean releaseGone() {
        boolean found = false;
        for (Iterator<Map.Entry<Locker, Side>> all = sides.entrySet().iterator(); all.hasNext(); ) {
            Map.Entry<Locker, Side> next = all.next();
            if (next.getKey().isGone()) {
                all.remove();
                next.getValue().locks.close();
                share.give(next.getKey().address());
                found = true;
            }
        }
        return found;
    }

    /** Makes the releases that are owed. Must be called without a lock. */
    void carryOut() {
        lock.lock();
        try {
            makeReleasesQuietly();
        } finally {
            books.left(sides.size());
            lock.unlock();
        }
    }

    private void makeReleasesQuietly() {
        try {
            makeReleases();
        } catch (FsException e) {
            LOG.debug("a lock cannot be released yet: {}", e.getMessage());
            books.releaseLater();
        }
    }

    private void makeReleases() throws FsException {
        for (Due due = books.nextOwed(); due != null; due = books.nextOwed()) {
            Side side = sides.get(due.owed().owner());
            if (side != null && due.nothing()) {
                close(due.owed().owner());
            } else if (side != null) {
                release(side.locks, due);
            }
            books.isMade(due.owed());
        }
    }

    /** Unlocks the gaps, and takes what is shared now and may have been exclusive. */
    private static void release(OwnerLocks locks, Due due) throws FsException {
        long last = lastOf(due.owed().range());
        long next = due.owed().range().first();
        for (HeldLock held : due.held()) {
            long first = held.range().first();
            if (first < 0) {
                break;
            }
            if (first > next) {
                locks.unlock(next, first - 1);
            }
            if (!held.exclusive()) {
                // It is in the way of nobody that the service has granted a lock.
                var _ = locks.tryLock(false, first, lastOf(held.range()));
            }
            if (lastOf(held.range()) >= last) {
                return;
            }
            next = lastOf(held.range()) + 1;
        }
        locks.unlock(next, last);
    }

    private void close(Locker owner) {
        Side side = sides.remove(owner);
        if (side != null) {
            side.locks.close();
            share.give(owner.address());
        }
    }

    /** A lock of somebody else that conflicts; null if there is none. Must be called without a lock. */
    @Nullable
    HeldLock test(Locker owner, boolean exclusive, ByteRange range) throws FsException {
        lock.lock();
        try {
            makeReleases();
            Side side = sides.get(owner);
            if (side != null) {
                return test(side.locks, exclusive, range);
            }
            try (OwnerLocks locks = backend.openLocks(handle, OpenAccess.READ)) {
                return test(locks, exclusive, range);
            }
        } finally {
            books.left(sides.size());
            lock.unlock();
        }
    }

    private @Nullable HeldLock test(OwnerLocks locks, boolean exclusive, ByteRange range) throws FsException {
        Optional<OwnerLocks.Holder> holder = locks.test(exclusive, range.first(), lastOf(range));
        if (holder.isPresent() && releaseGone()) {
            holder = locks.test(exclusive, range.first(), lastOf(range));
        }
        return holder.map(HostProcess::held).orElse(null);
    }

    /** True if a backend can have locks in the range: its offsets are signed. */
    static boolean reaches(ByteRange range) {
        return range.first() >= 0;
    }

    private static long lastOf(ByteRange range) {
        return range.last() < 0 ? OwnerLocks.TO_EOF : range.last();
    }
}
