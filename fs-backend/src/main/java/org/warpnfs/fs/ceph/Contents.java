package org.warpnfs.fs.ceph;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.ceph.libcephfs.CephException;
import org.warpnfs.fs.ceph.libcephfs.DataCalls;
import org.warpnfs.fs.ceph.libcephfs.Fh;
import org.warpnfs.fs.ceph.libcephfs.InodeCalls;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;

/**
 * How a file is written: by one descriptor of the library for all that have it open. Data lie in the library's memory
 * until a sync. If they are lost there, because a pool is full or the cluster has ended the mount, the library tells
 * only who had the file open at that time, and only when that descriptor is closed. So one stays open as long as there
 * are such data, and each sync exchanges it.
 *
 * <p>Safe for many threads.
 */
final class Contents {
    private static final Logger LOG = LoggerFactory.getLogger(Contents.class);

    private final Mounts mounts;
    /** Held to write and sync with the descriptor, and alone to exchange it. */
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();

    private @Nullable Writer writer;
    private volatile boolean unsynced;

    /** How often the file is open; for {@link OpenFiles}. */
    int openings;

    Contents(Mounts mounts) {
        this.mounts = mounts;
    }

    /** A descriptor of the library, and the use of its mount. */
    private static final class Writer {
        final Mounted mounted;
        final Fh file;

        Writer(Mounted mounted, Fh file) {
            this.mounted = mounted;
            this.file = file;
        }
    }

    boolean hasUnsynced() {
        return unsynced;
    }

    /** Writes all of {@code source} through the mount that {@code node} is of. */
    void write(Node node, Caller caller, MemorySegment source, long offset) throws CephException, FsException {
        Writer by = lockedFor(node, caller);
        try {
            unsynced = true;
            long done = 0;
            while (done < source.byteSize()) {
                done += DataCalls.write(by.mounted.mount(), by.file, source.asSlice(done), offset + done);
            }
        } finally {
            // A sync at the same time may have begun before these data came, and taken the mark away.
            unsynced = true;
            lock.readLock().unlock();
        }
    }

    /** Returns the descriptor, with the lock held that keeps it open. */
    @SuppressWarnings("LockNotBeforeTry") // The caller releases it.
    private Writer lockedFor(Node node, Caller caller) throws CephException, FsException {
        while (true) {
            lock.readLock().lock();
            Writer now = writer;
            if (now != null && now.mounted == node.mounted()) {
                return now;
            }
            lock.readLock().unlock();
            lock.writeLock().lock();
            try {
                now = writer;
                if (now == null || now.mounted != node.mounted()) {
                    if (!mounts.isCurrent(node.mounted())) {
                        // Otherwise a write that was held up would close the descriptor of later ones, and a sync would
                        // not see them.
                        throw FsException.of(FsError.TRY_LATER);
                    }
                    Writer opened = open(node, caller);
                    int _ = close(now);
                    writer = opened;
                }
            } finally {
                lock.writeLock().unlock();
            }
        }
    }

    private static Writer open(Node node, Caller caller) throws CephException, FsException {
        Fh file = Identity.open(node, caller, DataCalls.O_WRONLY);
        try {
            node.mounted().enter();
        } catch (FsException e) {
            int _ = DataCalls.close(node.mount(), file);
            throw e;
        }
        return new Writer(node.mounted(), file);
    }

    private int close(@Nullable Writer closed) {
        if (closed == null) {
            return 0;
        }
        int errno = DataCalls.close(closed.mounted.mount(), closed.file);
        closed.mounted.leave();
        return errno;
    }

    /**
     * Waits until what was written to the file is on stable storage.
     *
     * @throws FsException the verifier has changed
     */
    void sync(Node node, Caller caller) throws FsException {
        long verifier = mounts.verifier();
        boolean done = false;
        Mounted used = node.mounted();
        try {
            Writer by = lockedForSync();
            if (by == null) {
                // Another sync may not have come to its end, or the file was let go of.
                InodeCalls.sync(node.mount(), node.inode());
            } else {
                used = by.mounted;
                try {
                    unsynced = false;
                    DataCalls.fsync(by.mounted.mount(), by.file);
                } finally {
                    lock.readLock().unlock();
                }
                exchange(by, node, caller);
            }
            used.requireKept();
            done = true;
        } catch (CephException e) {
            if (mounts.isLost(used, e)) {
                throw mounts.failure(used, e);
            }
            leaveRefused(used, e);
            throw Failure.afterChange(e);
        } finally {
            if (!done) {
                mounts.dataMayBeLost();
            }
        }
        if (mounts.verifier() != verifier) {
            // Another sync at the same time found what this one could not see any more.
            throw FsException.of(FsError.TRY_LATER);
        }
    }

    /**
     * Ends a mount that has data which the cluster refuses to take from its user. As long as it keeps them, no other
     * client of Ceph gets the file.
     */
    private void leaveRefused(Mounted mounted, CephException e) {
        if (Failure.isRefusedData(e)) {
            LOG.warn("Ceph refuses what clients wrote: the capabilities of the user do not reach the file's pool");
            mounts.lost(mounted);
        }
    }

    /** Returns the descriptor with the lock held, or null if nothing was written since the last sync. */
    @SuppressWarnings("LockNotBeforeTry") // The caller releases it.
    private @Nullable Writer lockedForSync() {
        lock.readLock().lock();
        Writer now = writer;
        if (now == null) {
            lock.readLock().unlock();
        }
        return now;
    }

    /** Closes the descriptor, which tells whether data were lost, after another was opened. */
    private void exchange(Writer by, Node node, Caller caller) throws CephException, FsException {
        lock.writeLock().lock();
        try {
            if (writer != by) {
                // A sync at the same time has done it.
                return;
            }
            writer = unsynced ? open(node, caller) : null;
            int errno = close(by);
            if (errno != 0) {
                mounts.dataMayBeLost();
                throw CephException.of(errno);
            }
        } finally {
            lock.writeLock().unlock();
        }
    }

    /** Syncs and closes a file that is not open any more, for which there is no room. */
    void end() {
        lock.writeLock().lock();
        try {
            Writer last = writer;
            writer = null;
            if (last == null) {
                return;
            }
            int errno = 0;
            if (unsynced) {
                try {
                    DataCalls.fsync(last.mounted.mount(), last.file);
                } catch (CephException e) {
                    errno = e.errno();
                    leaveRefused(last.mounted, e);
                }
            }
            unsynced = false;
            int atClose = close(last);
            if (errno != 0 || atClose != 0) {
                mounts.dataMayBeLost();
                LOG.warn("data that clients wrote were lost: error {}", errno != 0 ? errno : atClose);
            }
        } finally {
            lock.writeLock().unlock();
        }
    }

    /** Closes without a sync if the mount is over. */
    void dropEnded(Mounted over) {
        lock.writeLock().lock();
        try {
            if (writer != null && writer.mounted == over) {
                int _ = close(writer);
                writer = null;
                unsynced = false;
            }
        } finally {
            lock.writeLock().unlock();
        }
    }
}
