package org.warpnfs.fs.local;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.Statx;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FsException;

/** A descriptor of the {@link FdCache}. What can change is guarded by the cache's lock, if nothing else is said. */
final class CachedFd {
    /** Each file has one descriptor for reading and one for writing at most. */
    record Key(FileHandle handle, boolean writable) {}

    /**
     * What is known of the file's mode.
     *
     * @param changes how often it has changed, which tells an earlier look at the file from a later one
     * @param mode st_mode as it was last seen; {@link #UNKNOWN} if that was before the last change
     */
    private record Seen(long changes, int mode) {
        static final int UNKNOWN = -1;
    }

    private final Key key;
    private final Fd fd;
    /** For a descriptor that is open for writing, this uses the {@link JournalMarker} too. */
    private final SyncGates.Hold hold;

    private final Verdicts verdicts = new Verdicts();
    private final KeptOwner owner = new KeptOwner();
    private final AtomicBoolean closed = new AtomicBoolean();

    /** Time of the cache's clock. It may be later than the time that a concurrent sweep has read. */
    private volatile long lastUsedNanos;

    private final AtomicReference<Seen> seen = new AtomicReference<>(new Seen(0, Seen.UNKNOWN));

    /** Uses that have not ended. */
    int users;

    /** Whether the file is known to have no name any more, so that its descriptors are not kept. */
    boolean nameless;

    /** Whether the cache has forgotten it, since the tree was closed. */
    boolean dropped;

    CachedFd(Key key, Fd fd, SyncGates.Hold hold) {
        this.key = key;
        this.fd = fd;
        this.hold = hold;
    }

    Key key() {
        return key;
    }

    Fd fd() {
        return fd;
    }

    /** Who may open the file. */
    Verdicts verdicts() {
        return verdicts;
    }

    /** Whose the file is to clients, where an attribute says that. */
    KeptOwner owner() {
        return owner;
    }

    /** The gate through which the file is synced. */
    SyncGate gate() {
        return hold.gate();
    }

    /** Whether there are writes through this descriptor that no sync has covered. Needs no lock. */
    boolean isDirty() {
        return key.writable && gate().isDirty();
    }

    private Seen known() {
        return Objects.requireNonNull(seen.get());
    }

    /**
     * The file's st_mode as it was last seen. If somebody on the host has changed it since, that is not seen before the
     * next write. Needs no lock.
     */
    int mode() throws FsException {
        int mode = known().mode();
        return mode == Seen.UNKNOWN ? AttributeReader.statx(fd).mode() : mode;
    }

    /** Must be called before the state of the file is read, and the result given to {@link #seen}. Needs no lock. */
    long look() {
        return known().changes();
    }

    /** Notes the state of the file, unless its mode has changed since {@code look}. Needs no lock. */
    void seen(long look, Statx file) {
        Seen before = known();
        if (before.changes() == look && before.mode() != file.mode()) {
            // If another notes something meanwhile, that is as good or better.
            boolean _ = seen.compareAndSet(before, new Seen(look, file.mode()));
        }
    }

    /** Notes that the mode has changed. Needs no lock. */
    void modeChanged() {
        Seen _ = seen.updateAndGet(before -> new Seen(before.changes() + 1, Seen.UNKNOWN));
    }

    /** Notes a use. Needs no lock. */
    void usedAt(long nanos) {
        lastUsedNanos = nanos;
    }

    /** Whether the last use was so long before a time of the cache's clock. Needs no lock. */
    boolean isIdleFor(long nanos, long nowNanos) {
        return nowNanos - lastUsedNanos >= nanos;
    }

    /**
     * Closes the descriptor. Needs no lock.
     *
     * @return the errno of close(2), or 0; -1 if it was closed before
     */
    int close() {
        return closed.compareAndSet(false, true) ? fd.closeForErrno() : -1;
    }

    /** Ends the hold of the gate, after the descriptor was closed. Needs no lock. */
    void leaveGate() {
        hold.close();
    }
}
