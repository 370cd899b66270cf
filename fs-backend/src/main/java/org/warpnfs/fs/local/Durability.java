package org.warpnfs.fs.local;

import com.google.common.primitives.Longs;
import java.nio.charset.StandardCharsets;
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
import org.warpnfs.fs.local.libc.FileSystemCalls;
import org.warpnfs.fs.local.libc.OpenCalls;
import org.warpnfs.fs.local.libc.Statx;
import org.warpnfs.fs.local.libc.XattrCalls;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;

/**
 * Brings changes to stable storage, and keeps the write verifier of one file system. The verifier changes before a
 * failure is reported: after a failed fsync(2), Linux marks the lost pages clean and no later call reports them.
 * {@link SyncGate} lets syncs at the same time share one call, and keeps one from consuming another's error.
 *
 * <p>The verifier belongs to the file system. NFS compares verifiers only for equality, and a client that writes data
 * again that were not lost loses nothing. The count of failures belongs to the file: a stable write does not fail
 * because another file lost data.
 */
final class Durability implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Durability.class);

    /** Limits the rate of log lines, since a device that fails does so often. */
    private static final long LOG_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Attribute of the marker that is changed to {@link #touch} it. */
    private static final byte[] TOUCHES = "user.warpnfs".getBytes(StandardCharsets.US_ASCII);

    private final AtomicLong verifier = new AtomicLong(new SecureRandom().nextLong());
    private final AtomicLong losses = new AtomicLong();
    private final AtomicLong loggedNanos = new AtomicLong();
    private final SyncCalls calls;
    private final Fd rootFd;
    private final Kind kind;
    private final SyncGates gates;
    private final SyncGate journal;
    private final SyncGate whole;
    private final JournalMarker marker;
    private final AtomicLong touches = new AtomicLong();
    private volatile boolean touchesByXattr;

    /**
     * Makes the durability of one file system.
     *
     * @param rootFd any descriptor on it that is not O_PATH
     */
    Durability(SyncCalls calls, Fd rootFd, Kind kind, SyncWaits waits) {
        this.calls = calls;
        this.rootFd = rootFd;
        this.kind = kind;
        this.gates = new SyncGates(this::syncFile, this::lost, waits);
        this.journal = new SyncGate(SyncGate.Scope.FILE_SYSTEM, (fd, attributes) -> pushJournal(fd), this::lost, waits);
        this.whole =
                new SyncGate(SyncGate.Scope.FILE_SYSTEM, (fd, attributes) -> syncFileSystem(fd), this::lost, waits);
        this.touchesByXattr = isExt4(rootFd);
        this.marker = new JournalMarker(
                this::openMarker, () -> JournalMarker.hasRoom(rootFd), kind.ordered(), System::nanoTime);
    }

    private static boolean isExt4(Fd file) {
        try {
            return FileSystemCalls.statfs(file).type() == Startup.EXT4_SUPER_MAGIC;
        } catch (ErrnoException e) {
            return false;
        }
    }

    private Fd openMarker() throws ErrnoException {
        Fd opened = OpenCalls.openNameless(rootFd, JournalMarker.PERMISSIONS);
        try {
            touch(opened);
        } catch (ErrnoException e) {
            LOG.debug("the journal takes no change: the next sync will say so", e);
        }
        return opened;
    }

    long verifier() {
        return verifier.get();
    }

    /** The gate of an open file. It must be closed before the file. */
    SyncGates.Hold gateOf(Statx statx) {
        return gates.hold(statx);
    }

    /**
     * Brings earlier changes of a file to stable storage.
     *
     * @throws FsException IO, NO_SPACE or QUOTA; the verifier has changed by then
     */
    static void sync(SyncGate gate, Fd fd, SyncGate.Descriptor kind, boolean withAttributes) throws FsException {
        try {
            gate.sync(fd, kind, withAttributes);
        } catch (ErrnoException e) {
            throw Failure.ofSync(e);
        }
    }

    /**
     * Does the same as {@link #sync} for a change that must be stable when it is answered. Fails also if a sync of the
     * file has failed since the change began, since that failure may have lost the change.
     *
     * @param failures {@link SyncGate#failures()} before the change
     */
    static void syncSince(long failures, SyncGate gate, Fd fd, SyncGate.Descriptor kind, boolean withAttributes)
            throws FsException {
        sync(gate, fd, kind, withAttributes);
        if (gate.failures() != failures) {
            throw FsException.of(FsError.IO, "another sync of the same file has failed since the change began");
        }
    }

    /**
     * Notes that a call that writes data failed. The data of the call itself were not acknowledged, but the error may
     * be about earlier data. EIO means that the medium fails. File systems that write to a server or a daemon report
     * here what they could not write earlier.
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

    /** Prepares to make a name that goes from one directory to another durable. The new name is so before the old. */
    ChangeSync ofDirectories(Fd from, Fd to) throws FsException {
        return prepared(sync -> {
            sync.addReal(from);
            if (!kind.ordered()) {
                sync.addReal(to);
            }
        });
    }

    /** Prepares to make names in a directory and the attributes of a file behind one of them durable. */
    ChangeSync ofDirectoryAndFile(Fd directory, Fd file) throws FsException {
        return prepared(sync -> {
            sync.addReal(directory);
            if (!kind.ordered()) {
                sync.addAny(file);
            }
        });
    }

    /** Prepares to make attributes of a file durable. The descriptor may be O_PATH. */
    ChangeSync ofAttributes(Fd file) throws FsException {
        return prepared(sync -> sync.addAny(file));
    }

    /**
     * Prepares to make a file's new length durable. A file that is truncated in the middle of a block has data to be
     * written.
     */
    ChangeSync ofLength(Fd file, long sizeBytes) throws FsException {
        if (sizeBytes == 0 || AttributeReader.type(AttributeReader.statx(file)) != FileType.REGULAR) {
            return ofAttributes(file);
        }
        return prepared(ChangeSync.byFile(this), each -> each.addAny(file));
    }

    /**
     * Does the same through a descriptor of the {@link FdCache} that is open for writing, so that none is opened.
     *
     * @param sizeBytes null if the length stays
     */
    ChangeSync ofWriter(Fd writer, @Nullable Long sizeBytes) throws FsException {
        Preparation preparation = sync -> sync.addWriter(writer);
        return sizeBytes == null || sizeBytes == 0
                ? prepared(preparation)
                : prepared(ChangeSync.byFile(this), preparation);
    }

    private ChangeSync prepared(Preparation preparation) throws FsException {
        return prepared(ChangeSync.byJournal(this), preparation);
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

    /**
     * The journal's marker. It must be {@linkplain JournalMarker#use used} from before a change until after its sync.
     */
    JournalMarker marker() {
        return marker;
    }

    SyncGate whole() {
        return whole;
    }

    Fd rootFd() {
        return rootFd;
    }

    /** True if one journal takes all changes in order, so that a sync of a file covers all earlier changes too. */
    boolean hasOneJournal() {
        return kind.ordered();
    }

    /** True if the file system may learn late what happened, as one of a network or a daemon does. */
    boolean reportsLate() {
        return kind.reportsLate();
    }

    @Override
    public void close() {
        marker.close();
    }

    /** Closes what is not needed now. Must be called from time to time. */
    void sweep() {
        marker.sweep();
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
     * Syncs the journal by a change of the server's own nameless file, which goes through the journal behind all
     * earlier changes. So changes of symbolic links, which cannot be opened, are synced too, and no file's data are
     * written early.
     */
    private void pushJournal(Fd marker) throws ErrnoException {
        touch(marker);
        calls.fsync(marker);
        requireJournal();
    }

    /**
     * Fails if the journal has been aborted, as after an error of the medium. If a transaction was discarded with the
     * journal, ext4's fsync answers 0 for it until the file system itself notices the abort (jbd2_complete_transaction
     * in Linux 6.18: a transaction that neither runs nor commits counts as done). A new transaction is refused as soon
     * as the journal is aborted, so it shows afterwards whether the 0 was true. The first change makes the file system
     * notice, though it is itself answered 0. The second is refused.
     */
    private void requireJournal() throws ErrnoException {
        Fd open = marker.opened();
        if (open != null) {
            touch(open);
            touch(open);
        }
    }

    /**
     * Changes the marker. An ext4 with fast commits writes the changed files alone to its journal. It cannot take back
     * one that has no name: after a power cut it cannot be mounted, and e2fsck drops all that was committed so. A
     * change of an extended attribute, to a new value, makes it commit the whole transaction in the usual way.
     */
    private void touch(Fd marker) throws ErrnoException {
        if (touchesByXattr) {
            try {
                XattrCalls.set(marker, TOUCHES, Longs.toByteArray(touches.incrementAndGet()), 0);
                return;
            } catch (ErrnoException e) {
                if (e.errno() == Errno.EIO || e.errno() == Errno.EROFS) {
                    throw e;
                }
                // There may be no room for an attribute; to change a mode needs none.
                touchesByXattr = e.errno() != Errno.EOPNOTSUPP;
            }
        }
        // Each chmod is a transaction, even if it changes nothing.
        AttributeCalls.chmod(marker, JournalMarker.PERMISSIONS);
    }

    private void lost(int errno) {
        verifier.incrementAndGet();
        long count = losses.incrementAndGet();
        long now = System.nanoTime();
        long last = loggedNanos.get();
        if ((count == 1 || now - last > LOG_INTERVAL_NANOS) && loggedNanos.compareAndSet(last, now)) {
            LOG.error("data written recently may be lost: errno {}; failures so far: {}", errno, count);
        }
    }

    private interface Preparation {
        void prepare(ChangeSync sync) throws FsException;
    }

    /**
     * Behaviour of a file system.
     *
     * @param ordered one journal takes all changes in order, so that a sync covers all earlier changes
     * @param reportsLate a write or a close may report errors of earlier writes, as file systems of a network or a
     *     daemon do
     */
    record Kind(boolean ordered, boolean reportsLate) {}

    /** The system calls for syncing. A test replaces them by calls that fail. */
    interface SyncCalls {
        void fsync(Fd fd) throws ErrnoException;

        void fdatasync(Fd fd) throws ErrnoException;

        void syncFileSystem(Fd fd) throws ErrnoException;
    }
}
