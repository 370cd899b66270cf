package org.warpnfs.fs.local;

import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.local.libc.AttributeCalls;
import org.warpnfs.fs.local.libc.Errno;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.OpenCalls;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsException;

/**
 * Brings things to stable storage, and keeps the write verifier: it changes before a failure shows, since after a failed
 * fsync(2) Linux takes the lost pages for clean and no later call will tell.
 */
final class Durability implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Durability.class);

    private static final int MARKER_PERMISSIONS = 0600;

    private final AtomicLong verifier = new AtomicLong(new SecureRandom().nextLong());
    private final SyncCalls calls;
    private final Fd rootFd;
    private final boolean ordered;
    private @Nullable Fd marker;
    private boolean markerRefused;

    /**
     * For one file system.
     *
     * @param rootFd any real descriptor on it
     * @param ordered true if one journal takes all changes in order, so that what is synced brings all earlier changes along
     */
    Durability(SyncCalls calls, Fd rootFd, boolean ordered) {
        this.calls = calls;
        this.rootFd = rootFd;
        this.ordered = ordered;
    }

    long verifier() {
        return verifier.get();
    }

    /** Data and attributes of an open file. */
    void file(Fd open) throws FsException {
        sync(calls::fsync, open);
    }

    /** Data of an open file, and what is needed to find them. */
    void data(Fd open) throws FsException {
        sync(calls::fdatasync, open);
    }

    /** Names in a directory, and on an ordered file system all that was changed before. */
    void directory(Fd directory) throws FsException {
        reopened(directory, OpenCalls.O_RDONLY | OpenCalls.O_DIRECTORY);
    }

    /** Names in a directory, and the attributes of a file that is behind one of them. */
    void directoryAndFile(Fd directory, Fd file) throws FsException {
        if (!ordered) {
            attributes(file);
        }
        directory(directory);
    }

    /** Names in two directories. */
    void directories(Fd first, Fd second) throws FsException {
        directory(first);
        if (!ordered) {
            directory(second);
        }
    }

    /**
     * Attributes of a file that may be open as O_PATH only. On an ordered file system a change of a nameless file of ours
     * goes through the journal behind it: so symlinks, that cannot be opened, are synced too, and data are not written
     * before their time.
     */
    void attributes(Fd file) throws FsException {
        if (ordered && pushJournal()) {
            return;
        }
        FileType type = AttributeReader.type(AttributeReader.statx(file));
        if (type == FileType.REGULAR || type == FileType.DIRECTORY) {
            reopened(file, OpenCalls.O_RDONLY | OpenCalls.O_NONBLOCK);
        } else {
            // Opening these does something else or nothing at all.
            sync(calls::syncFileSystem, rootFd);
        }
    }

    /** False if the file system has no nameless files. */
    private boolean pushJournal() throws FsException {
        Fd marker = marker();
        if (marker == null) {
            return false;
        }
        try {
            // Each setting is a transaction, also to what it was.
            AttributeCalls.chmod(marker, MARKER_PERMISSIONS);
        } catch (ErrnoException e) {
            throw Failure.of(e);
        }
        sync(calls::fsync, marker);
        return true;
    }

    private synchronized @Nullable Fd marker() {
        if (marker == null && !markerRefused) {
            try {
                marker = OpenCalls.openNameless(rootFd, MARKER_PERMISSIONS);
            } catch (ErrnoException e) {
                markerRefused = true;
            }
        }
        return marker;
    }

    @Override
    public synchronized void close() {
        markerRefused = true;
        if (marker != null) {
            marker.close();
            marker = null;
        }
    }

    private void reopened(Fd file, int flags) throws FsException {
        Fd real;
        try {
            real = OpenCalls.reopen(file, flags);
        } catch (ErrnoException e) {
            if (e.errno() != Errno.EACCES) {
                throw Failure.of(e);
            }
            sync(calls::syncFileSystem, rootFd);
            return;
        }
        try (real) {
            sync(calls::fsync, real);
        }
    }

    private void sync(SyncCall call, Fd fd) throws FsException {
        try {
            call.sync(fd);
        } catch (ErrnoException e) {
            verifier.incrementAndGet();
            LOG.error("sync failed with errno {}: data written lately may be lost", e.errno());
            throw Failure.of(e);
        }
    }

    private interface SyncCall {
        void sync(Fd fd) throws ErrnoException;
    }

    /** The calls themselves; a test puts failing ones in their place. */
    interface SyncCalls {
        void fsync(Fd fd) throws ErrnoException;

        void fdatasync(Fd fd) throws ErrnoException;

        void syncFileSystem(Fd fd) throws ErrnoException;
    }
}
