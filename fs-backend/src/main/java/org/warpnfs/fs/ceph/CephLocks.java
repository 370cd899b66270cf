package org.warpnfs.fs.ceph;

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.ceph.libcephfs.CephErrno;
import org.warpnfs.fs.ceph.libcephfs.CephException;
import org.warpnfs.fs.ceph.libcephfs.DataCalls;
import org.warpnfs.fs.ceph.libcephfs.LockCalls;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OwnerLocks;
import org.warpnfs.fs.spi.PosixRules;

/**
 * Byte-range locks of the cluster, which all its clients see.
 *
 * <h2>Operation</h2>
 *
 * Each owner has a descriptor and a number of its own. The metadata servers ask for the locks again when they have
 * failed, and the library answers. If the cluster has ended the mount, all locks are gone there: they are taken again
 * through the new one, before anything else uses it. Somebody else may have been faster; then calls for that owner get
 * IO until it is closed, since what it protected may have changed.
 *
 * <p>Descriptors are open for reading alone, since the cluster does not ask for more, and a writer would cost others
 * what they keep in memory.
 */
final class CephLocks {
    private static final Logger LOG = LoggerFactory.getLogger(CephLocks.class);

    /** After so many refusals without a holder there is one that does not show. */
    private static final int MAX_TRIES = 4;

    private final Nodes nodes;
    private final Mounts mounts;
    private final AtomicLong numbers = new AtomicLong();
    private final Set<Owner> owners = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    CephLocks(Nodes nodes, Mounts mounts) {
        this.nodes = nodes;
        this.mounts = mounts;
    }

    /** Begins the locks of one owner. */
    OwnerLocks open(FileHandle file, OpenAccess access) throws FsException {
        Owner owner = new Owner(file, access.writes());
        owner.open();
        owners.add(owner);
        if (closed) {
            owner.close();
        }
        return owner;
    }

    /** Releases all locks of all owners. */
    void closeAll() {
        closed = true;
        owners.forEach(Owner::close);
    }

    /** Lets go of descriptors of a mount that is over. */
    void leaveEnded(Mounted over) {
        owners.forEach(owner -> owner.leave(over));
    }

    /** Takes all locks again through a new mount. */
    void retake(Mounted over, Mounted mounted) {
        int lost = 0;
        for (Owner each : owners) {
            each.leave(over);
            lost += each.retake(mounted) ? 0 : 1;
        }
        if (lost > 0) {
            LOG.warn("locks of {} owners were lost when Ceph ended the mount: others have locked the files", lost);
        }
    }

    private static long length(long first, long last) {
        return last == OwnerLocks.TO_EOF ? 0 : last - first + 1;
    }

    private final class Owner implements OwnerLocks {
        private final FileHandle handle;
        private final boolean writable;
        private final long number = numbers.incrementAndGet();

        // All below are under this object's lock, which is not held while the library is called.
        private final HeldRanges held = new HeldRanges();
        private @Nullable Opened opened;
        private boolean lost;
        private boolean ended;

        Owner(FileHandle handle, boolean writable) {
            this.handle = handle;
            this.writable = writable;
        }

        private Opened open() throws FsException {
            return nodes.inMount(mounted -> {
                Opened now = open(mounted);
                Opened kept = keep(now);
                if (kept != now) {
                    now.leave();
                }
                return kept;
            });
        }

        private Opened open(Mounted mounted) throws CephException, FsException {
            Node node = nodes.find(mounted, handle);
            boolean good = false;
            try {
                PosixRules.requireRegular(node.type());
                if (writable) {
                    node.requireWritable();
                }
                good = true;
            } finally {
                if (!good) {
                    node.close();
                }
            }
            return Opened.of(node, Caller.ROOT, DataCalls.O_RDONLY);
        }

        /** Returns the descriptor in use, which is this one if there was none. */
        private Opened keep(Opened now) throws FsException {
            synchronized (this) {
                if (!ended) {
                    if (opened == null) {
                        opened = now;
                    }
                    return opened;
                }
            }
            now.leave();
            throw released();
        }

        private static FsException released() {
            return FsException.of(FsError.STALE, "the locks were released");
        }

        @FunctionalInterface
        private interface Call<T> {
            T with(Opened now) throws CephException;
        }

        private <T> T call(Call<T> call) throws FsException {
            Opened now = enter();
            CallWaits.Call underWay = null;
            try {
                underWay = now.mounted().waits().begin(handle, System.nanoTime());
                return call.with(now);
            } catch (CephException e) {
                // The library answers EIO once the session that had locks on the file is over.
                if (Failure.isLostMount(e) || e.errno() == CephErrno.EIO) {
                    mounts.lost(now.mounted());
                    throw FsException.of(FsError.TRY_LATER, "Ceph has ended the mount");
                }
                throw Failure.of(e);
            } finally {
                if (underWay != null) {
                    now.mounted().waits().end(underWay);
                }
                now.leave();
            }
        }

        private Opened enter() throws FsException {
            Opened now;
            synchronized (this) {
                if (ended) {
                    throw released();
                }
                if (lost) {
                    throw FsException.of(FsError.IO, "locks were lost when Ceph ended the mount");
                }
                now = opened;
            }
            if (now == null) {
                now = open();
            }
            if (!mounts.isCurrent(now.mounted()) || !now.enter()) {
                throw FsException.of(FsError.TRY_LATER, "the locks are being taken again");
            }
            return now;
        }

        /** Notes what has happened to the range; TRY_LATER if its mount has ended meanwhile. */
        private synchronized void note(Opened by, Runnable what) throws FsException {
            if (ended) {
                throw released();
            }
            if (opened != by) {
                throw FsException.of(FsError.TRY_LATER, "Ceph has ended the mount");
            }
            what.run();
        }

        @Override
        public Optional<Holder> tryLock(boolean exclusive, long first, long last) throws FsException {
            if (exclusive && !writable) {
                throw FsException.of(FsError.ACCESS);
            }
            Attempt attempt = call(now -> new Attempt(now, tryLock(now, exclusive, first, last)));
            if (attempt.holder.isEmpty()) {
                note(attempt.by, () -> held.add(exclusive, first, last));
            }
            return attempt.holder;
        }

        private record Attempt(Opened by, Optional<Holder> holder) {}

        private Optional<Holder> tryLock(Opened now, boolean exclusive, long first, long last) throws CephException {
            for (int tries = 0; tries < MAX_TRIES; tries++) {
                try {
                    LockCalls.lock(now.mount(), now.file(), number, exclusive, first, length(first, last));
                    return Optional.empty();
                } catch (CephException e) {
                    if (e.errno() != CephErrno.EAGAIN) {
                        throw e;
                    }
                }
                Optional<Holder> holder = conflict(now, exclusive, first, last);
                if (holder.isPresent()) {
                    return holder;
                }
                // It was released between the two calls.
            }
            return Optional.of(new Holder(exclusive, first, last, 0));
        }

        @Override
        public void unlock(long first, long last) throws FsException {
            Opened by = call(now -> {
                LockCalls.unlock(now.mount(), now.file(), number, first, length(first, last));
                return now;
            });
            note(by, () -> held.remove(first, last));
        }

        @Override
        public Optional<Holder> test(boolean exclusive, long first, long last) throws FsException {
            return call(now -> conflict(now, exclusive, first, last));
        }

        private Optional<Holder> conflict(Opened now, boolean exclusive, long first, long last) throws CephException {
            LockCalls.Held other =
                    LockCalls.conflict(now.mount(), now.file(), number, exclusive, first, length(first, last));
            return other == null
                    ? Optional.empty()
                    : Optional.of(new Holder(
                            other.exclusive(),
                            other.start(),
                            other.lengthBytes() == 0 ? TO_EOF : other.start() + (other.lengthBytes() - 1),
                            0));
        }

        void leave(Mounted over) {
            Opened old;
            synchronized (this) {
                old = opened;
                if (old == null || old.mounted() != over) {
                    return;
                }
                opened = null;
            }
            old.leave();
        }

        /** Returns false if locks were lost. */
        boolean retake(Mounted mounted) {
            synchronized (this) {
                if (ended || lost || held.isEmpty()) {
                    return true;
                }
            }
            boolean taken = false;
            try {
                Opened now = open(mounted);
                if (keep(now) == now) {
                    lockAll(now);
                    taken = true;
                } else {
                    now.leave();
                }
            } catch (CephException | FsException e) {
                LOG.debug("locks are lost", e);
            }
            synchronized (this) {
                lost = !taken && !ended;
                return !lost;
            }
        }

        private void lockAll(Opened now) throws CephException {
            Iterable<HeldRanges.Range> ranges;
            synchronized (this) {
                ranges = held.all();
            }
            for (HeldRanges.Range each : ranges) {
                LockCalls.lock(
                        now.mount(),
                        now.file(),
                        number,
                        each.exclusive(),
                        each.first(),
                        length(each.first(), each.last()));
            }
        }

        @Override
        public void close() {
            Opened last;
            synchronized (this) {
                if (ended) {
                    return;
                }
                ended = true;
                last = opened;
                opened = null;
            }
            owners.remove(this);
            if (last != null) {
                last.leave();
            }
        }
    }
}
