package org.warpnfs.fs.local;

import java.security.SecureRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.local.libc.AttributeCalls;
import org.warpnfs.fs.local.libc.Errno;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.OpenCalls;
import org.warpnfs.fs.local.libc.Statx;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;

/**
 * Brings things to stable storage, and keeps the write verifier of one file system: it changes before a failure shows,
 * since after a failed fsync(2) Linux takes the lost pages for clean and no later call will tell. How those who sync at
 * the same time share one call, and how nobody takes another's error away, is {@link SyncGate}'s.
 *
 * <p>The verifier is the file system's, since NFS compares verifiers only for equality and a client that writes again
 * what was not lost loses nothing. The count of failures is the file's: a stable write does not fail because another
 * file lost data.
 */
final class Durability implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Durability.class);

    private static final int MARKER_PERMISSIONS = 0600;
    /** A device that fails does so often. */
    private static final long LOG_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final AtomicLong verifier = new AtomicLong(new SecureRandom().nextLong());
    private final AtomicLong losses = new AtomicLong();
    private final AtomicLong loggedNanos = new AtomicLong();
    private final SyncCalls calls;
    private final Fd rootFd;
    private final Kind kind;
    private final SyncGates gates;
    private final SyncGate journal;
    private final SyncGate whole;
    private final @Nullable Fd marker;

    /**
     * For one file system.
     *
     * @param rootFd any real descriptor on it
     */
    Durability(SyncCalls calls, Fd rootFd, Kind kind) {
        this.calls = calls;
        this.rootFd = rootFd;
        this.kind = kind;
        this.gates = new SyncGates(this::syncFile, this::lost);
        this.journal = new SyncGate((fd, attributes) -> pushJournal(fd), this::lost);
        this.whole = new SyncGate((fd, attributes) -> syncFileSystem(fd), this::lost);
        this.marker = kind.ordered() ? openMarker(rootFd) : null;
    }

    /** A file without a name, whose changes go through the journal; null if the file system has no such files. */
    private static @Nullable Fd openMarker(Fd rootFd) {
        try {
            return OpenCalls.openNameless(rootFd, MARKER_PERMISSIONS);
        } catch (ErrnoException e) {
            return null;
        }
    }

    long verifier() {
        return verifier.get();
    }

    /** The gate of an open file; close it before the file. */
    SyncGates.Hold gateOf(Statx statx) {
        return gates.hold(statx);
    }

    /** How often data of any file may have been lost; as often the verifier has changed. */
    long losses() {
        return losses.get();
    }

    /** How many files are being synced or may have to be. */
    int gateCount() {
        return gates.size();
    }

    /**
     * Brings to stable storage what was changed in a file before.
     *
     * @throws FsException IO, NO_SPACE or QUOTA; the verifier has changed then
     */
    static void sync(SyncGate gate, Fd fd, SyncGate.Descriptor kind, boolean withAttributes) throws FsException {
        try {
            gate.sync(fd, kind, withAttributes);
        } catch (ErrnoException e) {
            throw Failure.ofSync(e);
        }
    }

    /**
     * As {@link #sync}, for a change that has to be stable when it is answered: it may be the one that a failure since
     * lost.
     */
    static void syncSince(long failures, SyncGate gate, Fd fd, SyncGate.Descriptor kind, boolean withAttributes)
            throws FsException {
        sync(gate, fd, kind, withAttributes);
        if (gate.failures() != failures) {
            throw FsException.of(FsError.IO, "a sync of the same file failed meanwhile");
        }
    }

    /**
     * A call that writes data failed. Its own data were not acknowledged, but it may have told of others: EIO means
     * that the medium fails, and file systems that write to a server or a daemon report there what they could not write
     * earlier.
     */
    void writeFailed(SyncGate gate, int errno) {
        boolean outOfSpace = errno == Errno.ENOSPC || errno == Errno.EDQUOT || errno == Errno.EFBIG;
        if (errno == Errno.EIO || (outOfSpace && kind.reportsLate())) {
            gate.lost(errno);
        }
    }

    /** Prepares to make names in a directory durable. */
    ChangeSync ofDirectory(Fd directory) throws FsException {
        return prepared(sync -> sync.addReal(directory));
    }

    /** Prepares to make names in two directories durable. */
    ChangeSync ofDirectories(Fd first, Fd second) throws FsException {
        return prepared(sync -> {
            sync.addReal(first);
            if (!kind.ordered()) {
                sync.addReal(second);
            }
        });
    }

    /** Prepares to make names in a directory durable, and the attributes of a file behind one of them. */
    ChangeSync ofDirectoryAndFile(Fd directory, Fd file) throws FsException {
        return prepared(sync -> {
            sync.addReal(directory);
            if (!kind.ordered()) {
                sync.addAny(file);
            }
        });
    }

    /** Prepares to make attributes of a file durable that may be open as O_PATH only. */
    ChangeSync ofAttributes(Fd file) throws FsException {
        return prepared(sync -> sync.addAny(file));
    }

    /** Prepares to make a file's new length durable: what is cut in the middle of a block leaves data to be written. */
    ChangeSync ofLength(Fd file, long sizeBytes) throws FsException {
        if (sizeBytes == 0 || AttributeReader.type(AttributeReader.statx(file)) != FileType.REGULAR) {
            return ofAttributes(file);
        }
        ChangeSync sync = new ChangeSync(this, false);
        return prepared(sync, each -> each.addAny(file));
    }

    private ChangeSync prepared(Preparation preparation) throws FsException {
        return prepared(new ChangeSync(this, marker != null), preparation);
    }

    private static ChangeSync prepared(ChangeSync sync, Preparation preparation) throws FsException {
        boolean complete = false;
        try {
            preparation.prepare(sync);
            complete = true;
            return sync;
        } finally {
            if (!complete) {
                sync.close();
            }
        }
    }

    SyncGate journal() {
        return journal;
    }

    /** Present where {@link ChangeSync} uses the journal. */
    @Nullable
    Fd marker() {
        return marker;
    }

    SyncGate whole() {
        return whole;
    }

    Fd rootFd() {
        return rootFd;
    }

    boolean isOrdered() {
        return kind.ordered();
    }

    @Override
    public void close() {
        if (marker != null) {
            marker.close();
        }
    }

    private void syncFile(Fd fd, boolean withAttributes) throws ErrnoException {
        if (withAttributes) {
            calls.fsync(fd);
        } else {
            calls.fdatasync(fd);
        }
        requireJournal();
    }

    private void syncFileSystem(Fd fd) throws ErrnoException {
        calls.syncFileSystem(fd);
        requireJournal();
    }

    /**
     * A change of a nameless file of ours goes through the journal behind all earlier ones: so symlinks, that cannot be
     * opened, are synced too, and data are not written before their time.
     */
    private void pushJournal(Fd marker) throws ErrnoException {
        // Each setting is a transaction, also to what it was.
        AttributeCalls.chmod(marker, MARKER_PERMISSIONS);
        calls.fsync(marker);
        requireJournal();
    }

    /**
     * Fails if the journal has ended, as after an error of the medium. ext4's fsync answers 0 for a change whose
     * transaction was thrown away with the journal, until the file system itself takes notice
     * (jbd2_complete_transaction in Linux 6.18: a transaction that neither runs nor commits counts as done). A new
     * transaction is refused from the moment at which the journal ends, so it tells afterwards whether the 0 was true:
     * the first setting has the file system take notice, though it is itself answered 0, and the second is refused.
     */
    private void requireJournal() throws ErrnoException {
        if (marker != null) {
            AttributeCalls.chmod(marker, MARKER_PERMISSIONS);
            AttributeCalls.chmod(marker, MARKER_PERMISSIONS);
        }
    }

    private void lost(int errno) {
        verifier.incrementAndGet();
        long count = losses.incrementAndGet();
        long now = System.nanoTime();
        long last = loggedNanos.get();
        if ((count == 1 || now - last > LOG_INTERVAL_NANOS) && loggedNanos.compareAndSet(last, now)) {
            LOG.error("data written lately may be lost: errno {}; this happened {} times so far", errno, count);
        }
    }

    private interface Preparation {
        void prepare(ChangeSync sync) throws FsException;
    }

    /**
     * How a file system behaves.
     *
     * @param ordered one journal takes all changes in order, so that what is synced brings all earlier changes along
     * @param reportsLate a write or a close may report errors of earlier writes: file systems of a network or a daemon
     */
    record Kind(boolean ordered, boolean reportsLate) {}

    /** The calls themselves; a test puts failing ones in their place. */
    interface SyncCalls {
        void fsync(Fd fd) throws ErrnoException;

        void fdatasync(Fd fd) throws ErrnoException;

        void syncFileSystem(Fd fd) throws ErrnoException;
    }
}
