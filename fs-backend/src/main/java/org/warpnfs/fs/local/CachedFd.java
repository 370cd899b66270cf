package org.warpnfs.fs.local;

import java.util.concurrent.atomic.AtomicBoolean;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.spi.FileHandle;

/** A descriptor of the {@link FdCache}. What can change is guarded by the cache's lock, if nothing else is said. */
final class CachedFd {
    /** Each file has one descriptor for reading and one for writing at most. */
    record Key(FileHandle handle, boolean writable) {}

    private final Key key;
    private final Fd fd;
    /** For a descriptor that is open for writing, this uses the {@link JournalMarker} too. */
    private final SyncGates.Hold hold;

    private final Verdicts verdicts = new Verdicts();
    private final AtomicBoolean closed = new AtomicBoolean();

    /** Time of the cache's clock. It may be later than the time that a concurrent sweep has read. */
    private volatile long lastUsedNanos;

    /** Uses that have not ended. */
    int users;

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

    /** The gate through which the file is synced. */
    SyncGate gate() {
        return hold.gate();
    }

    /** Whether there are writes through this descriptor that no sync has covered. Needs no lock. */
    boolean isDirty() {
        return key.writable && gate().isDirty();
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
