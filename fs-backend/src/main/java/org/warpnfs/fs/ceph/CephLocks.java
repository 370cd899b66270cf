package org.warpnfs.fs.ceph;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.ceph.libcephfs.CephErrno;
import org.warpnfs.fs.ceph.libcephfs.CephException;
import org.warpnfs.fs.ceph.libcephfs.DataCalls;
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
 * <p>If the session with a metadata server is over, the library answers EIO for each file that had locks, until all
 * descriptors of the file are closed. An EIO can be that of one file too. So the file is opened and locked again: if
 * that goes well the session was over, and the mount is ended.
 *
 * <p>Descriptors are open for reading alone, since the cluster does not ask for more, and a writer would cost others
 * what they keep in memory.
 */
final class CephLocks {
    private static final Logger LOG = LoggerFactory.getLogger(CephLocks.class);

    /** How often locks are asked for again that somebody holds, who may be our own mount that is just being ended. */
    private static final int MAX_PAUSES = 4;

    private static final Duration PAUSE = Duration.ofMillis(500);

    private final Nodes nodes;
    private final Mounts mounts;
    private final AtomicLong numbers = new AtomicLong();
    private final Set<Owner> owners = ConcurrentHashMap.newKeySet();
    /** Files that are being opened and locked again. */
    private final Set<FileHandle> judged = ConcurrentHashMap.newKeySet();

    /** The mount through which all locks were taken again; null if there was no such need yet. */
    private volatile @Nullable Mounted newest;

    private volatile boolean closed;

    CephLocks(Nodes nodes, Mounts mounts) {
        this.nodes = nodes;
        this.mounts = mounts;
    }

    /** Begins the locks of one owner. */
    OwnerLocks open(FileHandle file, OpenAccess access) throws FsException {
        Owner owner = new Owner(file, access.writes());
        owners.add(owner);
        boolean done = false;
        try {
            var _ = owner.open();
            done = true;
        } finally {
            if (!done || closed) {
                owner.close();
            }
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

    /**
     * Takes all locks again through a new mount.
     *
     * @throws CephException the mount is of no use, and is not used any more or soon will not be
     */
    void retakeAll(Mounted mounted) throws CephException {
        // First: who judges a file by the mount before must not undo what is done here.
        newest = mounted;
        List<Opened> old = owners.stream()
                .flatMap(owner -> owner.detach(now -> now != mounted).stream())
                .toList();
        closeElsewhere(() -> old.forEach(Opened::leave));
        boolean good = false;
        try {
            retakePatiently(mounted);
            good = true;
        } finally {
            if (!good) {
                closeElsewhere(() -> leaveEnded(mounted));
            }
        }
    }

    private void retakePatiently(Mounted mounted) throws CephException {
        Collection<Owner> left = owners;
        int lost = 0;
        for (int pauses = 0; !left.isEmpty(); pauses++) {
            List<Owner> refused = new ArrayList<>();
            for (Owner each : left) {
                switch (each.retake(mounted)) {
                    case TAKEN, NONE -> {}
                    case REFUSED -> refused.add(each);
                    case FAILED -> lost++;
                }
            }
            left = refused;
            if (!left.isEmpty() && (pauses == MAX_PAUSES || closed || !pause())) {
                for (Owner each : left) {
                    lost += each.lose(mounted) == Retaken.FAILED ? 1 : 0;
                }
                break;
            }
        }
        if (lost > 0) {
            LOG.warn("locks of {} owners were lost when Ceph ended the mount: others have locked the files", lost);
        }
    }

    /** Returns false if it was interrupted. */
    private static boolean pause() {
        try {
            Thread.sleep(PAUSE);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** The end of a descriptor may wait for a daemon, which must not hold up a new mount. */
    private static void closeElsewhere(Runnable close) {
        Thread.ofPlatform().daemon().name("ceph-leave").start(close);
    }

    /**
     * Opens and locks a file again that fails.
     *
     * @return true if it failed because the session was over in which it had locks; false if it fails still
     */
    private boolean isSessionOver(FileHandle file, Mounted mounted) throws FsException {
        if (!judged.add(file)) {
            throw FsException.of(FsError.TRY_LATER, "the locks are being taken again");
        }
        try {
            List<Owner> ofFile =
                    owners.stream().filter(each -> each.handle.equals(file)).toList();
            // All before any is opened again: the library goes on to fail as long as one had locks.
            ofFile.forEach(each -> each.leave(mounted));
            boolean over = false;
            for (Owner each : ofFile) {
                Retaken retaken = each.retake(mounted);
                over |= retaken == Retaken.TAKEN || retaken == Retaken.REFUSED;
            }
            return over;
        } catch (CephException e) {
            LOG.debug("a file cannot be locked again through this mount", e);
            return true;
        } finally {
            judged.remove(file);
        }
    }

    /** What has become of an owner's locks. */
    private enum Retaken {
        /** It had none. */
        NONE,
        TAKEN,
        /** Somebody else holds one that conflicts. */
        REFUSED,
        /** The file is gone, or cannot be locked any more: the locks are lost. */
        FAILED
    }

    private boolean isSuperseded(Mounted mounted) {
        Mounted now = newest;
        return now != null && now != mounted;
    }

    private final class Owner implements OwnerLocks {
        private final FileHandle handle;
        private final boolean writable;
        private final OwnerLockCalls calls = new OwnerLockCalls(numbers.incrementAndGet());

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
            return nodes.inMount(handle, mounted -> {
                Opened now = open(mounted);
                Opened kept = keep(now);
                if (kept != now) {
                    now.leave();
                }
                if (!mounts.isCurrent(mounted)) {
                    // What has ended the mount may have passed by this owner before.
                    leave(mounted);
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
            CephException failure;
            try {
                underWay = now.mounted().begin(handle);
                return call.with(now);
            } catch (CephException e) {
                failure = e;
            } finally {
                if (underWay != null) {
                    now.mounted().waits().end(underWay);
                }
                now.leave();
            }
            // The descriptor is not in use by this call any more, so that it can be closed.
            Mounted mounted = now.mounted();
            boolean over = Failure.isLostMount(failure)
                    || (failure.errno() == CephErrno.EIO
                            && nodes.inMount(current -> current != mounted || isSessionOver(handle, mounted)));
            if (over) {
                mounts.lost(mounted);
                throw FsException.of(FsError.TRY_LATER, "Ceph has ended the mount");
            }
            throw Failure.of(failure);
        }

        private Opened enter() throws FsException {
            Opened now;
            synchronized (this) {
                if (ended) {
                    throw released();
                }
                if (lost) {
                    throw FsException.of(FsError.IO, "locks were lost in Ceph");
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
            Attempt attempt = call(now -> new Attempt(now, calls.tryLock(now, exclusive, first, last)));
            if (attempt.holder.isEmpty()) {
                note(attempt.by, () -> held.add(exclusive, first, last));
            }
            return attempt.holder;
        }

        private record Attempt(Opened by, Optional<Holder> holder) {}

        @Override
        public void unlock(long first, long last) throws FsException {
            Opened by = call(now -> {
                calls.unlock(now, first, last);
                return now;
            });
            note(by, () -> held.remove(first, last));
        }

        @Override
        public Optional<Holder> test(boolean exclusive, long first, long last) throws FsException {
            return call(now -> calls.conflict(now, exclusive, first, last));
        }

        /** Lets go of a descriptor of this mount. May wait for the cluster. */
        void leave(Mounted over) {
            detach(now -> now == over).ifPresent(Opened::leave);
        }

        /** Returns the descriptor, which is not this owner's any more, if it is of such a mount. */
        synchronized Optional<Opened> detach(Predicate<Mounted> mount) {
            Opened old = opened;
            if (old == null || !mount.test(old.mounted())) {
                return Optional.empty();
            }
            opened = null;
            return Optional.of(old);
        }

        synchronized boolean holdsLocks() {
            return !ended && !lost && !held.isEmpty();
        }

        /** The locks cannot be taken again through this mount. */
        synchronized Retaken lose(Mounted mounted) {
            if (ended || isSuperseded(mounted)) {
                return Retaken.NONE;
            }
            lost = true;
            return Retaken.FAILED;
        }

        /**
         * Takes the locks again that this owner had.
         *
         * @throws CephException the mount is of no use; the locks are not lost for that
         */
        Retaken retake(Mounted mounted) throws CephException {
            if (!holdsLocks()) {
                return Retaken.NONE;
            }
            try {
                Opened now = opened(mounted);
                try {
                    lockAll(now);
                } finally {
                    now.leave();
                }
                return Retaken.TAKEN;
            } catch (CephException e) {
                if (Failure.isUselessMount(e)) {
                    throw e;
                }
                if (e.errno() == CephErrno.EAGAIN) {
                    return Retaken.REFUSED;
                }
                LOG.debug("locks are lost", e);
            } catch (FsException e) {
                LOG.debug("locks are lost", e);
            }
            return lose(mounted);
        }

        /** Returns the descriptor of this mount, in use for the caller; it is opened if there is none. */
        private Opened opened(Mounted mounted) throws CephException, FsException {
            Opened now;
            synchronized (this) {
                now = opened;
            }
            if (now == null || now.mounted() != mounted) {
                now = replace(open(mounted));
            }
            if (!now.enter()) {
                throw released();
            }
            return now;
        }

        /** Puts a descriptor in the place of one of another mount, and returns the one in use. */
        private Opened replace(Opened now) throws CephException, FsException {
            Opened kept = null;
            Opened unused = now;
            boolean superseded;
            synchronized (this) {
                superseded = isSuperseded(now.mounted());
                if (!ended && !superseded) {
                    kept = opened;
                    if (kept == null || kept.mounted() != now.mounted()) {
                        unused = kept;
                        kept = now;
                        opened = now;
                    }
                }
            }
            if (unused != null) {
                closeElsewhere(unused::leave);
            }
            if (superseded) {
                throw CephException.of(CephErrno.ESHUTDOWN);
            }
            if (kept == null) {
                throw released();
            }
            return kept;
        }

        private void lockAll(Opened now) throws CephException {
            Iterable<HeldRanges.Range> ranges;
            synchronized (this) {
                ranges = held.all();
            }
            calls.lockAll(now, ranges);
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
