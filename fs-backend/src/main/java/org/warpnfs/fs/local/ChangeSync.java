package org.warpnfs.fs.local;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.local.libc.Errno;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.OpenCalls;
import org.warpnfs.fs.local.libc.Statx;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;

/**
 * Descriptors that are needed to make one change of names or attributes durable. They are opened before the change is
 * made. If descriptors or memory are short, the operation fails then, when "try again later" is still true.
 * {@link #sync} needs no further descriptor.
 *
 * <h2>Operation</h2>
 *
 * On a file system with one journal for all changes, {@link Durability#journal()} suffices. On any other, the
 * directories and files concerned are opened and each is synced, the last one added first: a power cut between two
 * syncs then leaves no name without its file, and no file without a name. If one of them cannot be opened, the whole
 * file system is synced.
 *
 * <h2>Buffers</h2>
 *
 * Holds up to two descriptors, and the {@link JournalMarker}, until closed. For one thread.
 */
final class ChangeSync implements AutoCloseable {
    private final Durability durability;
    private final @Nullable Fd marker;
    private final long journalFailures;
    private final long wholeFailures;
    private final List<Target> targets = new ArrayList<>(2);
    private boolean wholeFileSystem;
    private boolean closed;

    /** Prepares a change that a sync of the journal covers, where there is one journal for all changes. */
    static ChangeSync byJournal(Durability durability) throws FsException {
        return new ChangeSync(durability, true);
    }

    /** Prepares a change of data, which a sync of the journal does not cover, so that each file is synced. */
    static ChangeSync byFile(Durability durability) throws FsException {
        return new ChangeSync(durability, false);
    }

    private ChangeSync(Durability durability, boolean byJournal) throws FsException {
        this.durability = durability;
        durability.marker().use();
        this.marker = byJournal ? durability.marker().fd() : null;
        this.journalFailures = durability.journal().failures();
        this.wholeFailures = durability.whole().failures();
    }

    /** Adds a regular file or directory. */
    void addReal(Fd file) throws FsException {
        if (marker != null || wholeFileSystem) {
            return;
        }
        try {
            addOpened(OpenCalls.reopen(file, OpenCalls.O_RDONLY | OpenCalls.O_NONBLOCK));
        } catch (ErrnoException e) {
            if (e.errno() != Errno.EACCES && e.errno() != Errno.EPERM) {
                throw Failure.of(e);
            }
            wholeFileSystem = true;
        }
    }

    /** Adds a regular file by a descriptor of the {@link FdCache} that is open for writing. */
    void addWriter(Fd writer) throws FsException {
        if (marker == null) {
            targets.add(new Target(writer, null, SyncGate.Descriptor.TRACKED, AttributeReader.statx(writer)));
        }
    }

    private void addOpened(Fd opened) throws FsException {
        boolean added = false;
        try {
            targets.add(new Target(opened, opened, SyncGate.Descriptor.FRESH, AttributeReader.statx(opened)));
            added = true;
        } finally {
            if (!added) {
                opened.close();
            }
        }
    }

    /** Adds a file of any type. */
    void addAny(Fd file) throws FsException {
        FileType type = AttributeReader.type(AttributeReader.statx(file));
        if (type == FileType.REGULAR || type == FileType.DIRECTORY) {
            addReal(file);
        } else {
            // To open such a file would have another effect or none.
            wholeFileSystem = true;
        }
    }

    /**
     * Adds a file, possibly one that the change itself made. If it cannot be opened, the whole file system is synced.
     * What was set on the file after it was made may be in a later transaction than its name, and the sync of the
     * directory does not wait for that one.
     *
     * @param isReal true if it is open for more than its path; it stays open until this is closed
     */
    void addMade(Fd made, boolean isReal) {
        if (marker != null || wholeFileSystem) {
            return;
        }
        try {
            if (isReal) {
                targets.add(new Target(made, null, SyncGate.Descriptor.FRESH, AttributeReader.statx(made)));
            } else {
                addAny(made);
            }
        } catch (FsException e) {
            wholeFileSystem = true;
        }
    }

    /** True if {@link #sync} covers earlier changes of all files, added or not. */
    boolean coversAll() {
        return marker != null || wholeFileSystem;
    }

    /**
     * Makes the change durable.
     *
     * @throws FsException IO, NO_SPACE or QUOTA; never TRY_LATER, for the change has been made
     */
    void sync() throws FsException {
        if (marker != null) {
            Durability.syncSince(journalFailures, durability.journal(), marker, SyncGate.Descriptor.TRACKED, true);
            return;
        }
        if (wholeFileSystem) {
            Durability.syncSince(
                    wholeFailures, durability.whole(), durability.rootFd(), SyncGate.Descriptor.TRACKED, true);
            return;
        }
        for (Target target : targets.reversed()) {
            Durability.syncSince(target.failures, target.hold.gate(), target.fd, target.kind, true);
        }
    }

    /** The error to answer when something fails after the change was made. */
    static FsException afterChange(FsException e) {
        return e.error() == FsError.TRY_LATER ? FsException.of(FsError.IO, "failed after the change was made") : e;
    }

    @Override
    public void close() {
        targets.forEach(Target::close);
        targets.clear();
        if (!closed) {
            closed = true;
            durability.marker().leave();
        }
    }

    private final class Target implements AutoCloseable {
        private final Fd fd;
        private final @Nullable Fd owned;
        private final SyncGate.Descriptor kind;
        private final SyncGates.Hold hold;
        private final long failures;

        Target(Fd fd, @Nullable Fd owned, SyncGate.Descriptor kind, Statx statx) {
            this.fd = fd;
            this.owned = owned;
            this.kind = kind;
            this.hold = durability.gateOf(statx);
            this.failures = hold.gate().failures();
        }

        @Override
        public void close() {
            hold.close();
            if (owned != null) {
                owned.close();
            }
        }
    }
}
