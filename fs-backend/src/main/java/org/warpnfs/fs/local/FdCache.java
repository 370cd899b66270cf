package org.warpnfs.fs.local;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.local.libc.AttributeCalls;
import org.warpnfs.fs.local.libc.DescriptorPressure;
import org.warpnfs.fs.local.libc.Errno;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.Statx;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;

/**
 * Caches descriptors of regular files that are open or were open lately, so that a read or write need not open the
 * file.
 *
 * <p>The server opens a descriptor as itself, so the descriptor says nothing about who may use it. Each
 * {@link LocalFileSystem#open} checks permissions again, so a change of permissions takes effect at once.
 *
 * <h2>Buffers</h2>
 *
 * Idle descriptors, which nobody has open, are kept up to a number, and for {@value #IDLE_SECONDS} seconds after their
 * last use; the least recently used is closed first. The descriptor of a file without a name is not kept, since it
 * would keep the file's space; if the name was removed on the host, {@link #sweep} finds that out. A descriptor that is
 * open for writing keeps the host from mounting the file system read-only. All descriptors together take no more than
 * the process's {@link DescriptorBudget} has for files. Idle descriptors are closed when another file needs one, in
 * this file system or in any other. Safe for many threads.
 *
 * <h2>Durability</h2>
 *
 * A file has one descriptor for writing, and every write goes through it. Linux reports to a descriptor only those
 * errors that occurred while it was open. So a descriptor with unsynced writes is synced before it is closed.
 * Descriptors without unsynced writes are closed first.
 */
final class FdCache implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FdCache.class);
    /** When descriptors are short, one in this many of the idle ones is closed, but at least {@link #MIN_RELIEF}. */
    private static final int RELIEF_PART = 4;

    private static final int MIN_RELIEF = 16;
    /** Longer than a client pauses between two calls of one job. */
    static final int IDLE_SECONDS = 60;

    private final int maxIdle;
    private final LongSupplier clockNanos;
    private final Durability durability;
    private final DescriptorBudget budget;
    private final DescriptorPressure.Relief relief =
            () -> CallerIdentity.asOneself(() -> closeIdle(Long.MAX_VALUE)) > 0;
    private final Map<CachedFd.Key, CachedFd> entries = new HashMap<>();
    private final IdleFds idle = new IdleFds();
    private boolean closed;
    /**
     * How often a file lost its last name or got another mode. What was read before of a file that is not in the cache
     * may be out of date.
     */
    private final AtomicLong changes = new AtomicLong();

    FdCache(int maxIdle, Durability durability, DescriptorBudget budget, LongSupplier clockNanos) {
        this.maxIdle = maxIdle;
        this.clockNanos = clockNanos;
        this.durability = durability;
        this.budget = budget;
        DescriptorPressure.register(relief);
    }

    /** A cached descriptor of the file that allows {@code access}, or null. {@link #release} gives it back. */
    @Nullable
    CachedFd find(FileHandle handle, OpenAccess access) {
        CachedFd found = find(handle, access.writes());
        return found == null && !access.writes() ? find(handle, true) : found;
    }

    /** A cached descriptor of the file, or null. {@link #release} gives it back. */
    @Nullable
    CachedFd findAny(FileHandle handle) {
        CachedFd found = find(handle, true);
        return found != null ? found : find(handle, false);
    }

    /**
     * A cached descriptor of the file, or null if there is none or only the cache keeps the file alive.
     * {@link #release} gives it back.
     */
    @Nullable
    CachedFd findGood(FileHandle handle) {
        for (boolean writable : new boolean[] {true, false}) {
            CachedFd found = find(handle, writable);
            if (found != null) {
                if (AttributeCalls.hasName(found.fd()) || !lostName(found)) {
                    return found;
                }
                release(found);
            }
        }
        return null;
    }

    private synchronized @Nullable CachedFd find(FileHandle handle, boolean writable) {
        CachedFd entry = entries.get(new CachedFd.Key(handle, writable));
        if (entry != null) {
            boolean _ = idle.remove(entry);
            entry.users++;
        }
        return entry;
    }

    /** The cached descriptors of a file, the one for reading first. Called under the lock. */
    private List<CachedFd> of(FileHandle handle) {
        List<CachedFd> both = new ArrayList<>(2);
        for (boolean writable : new boolean[] {false, true}) {
            CachedFd entry = entries.get(new CachedFd.Key(handle, writable));
            if (entry != null) {
                both.add(entry);
            }
        }
        return both;
    }

    /**
     * Opens a descriptor for its first user. If another was opened meanwhile, returns that one.
     *
     * @throws FsException TRY_LATER if too many files are in use
     */
    CachedFd open(FileHandle handle, boolean writable, Opening opening) throws FsException {
        budget.take();
        long changesBefore = changes.get();
        CachedFd entry = null;
        boolean usesMarker = false;
        try {
            if (writable) {
                durability.marker().use();
                usesMarker = true;
            }
            Fd fd = opening.open();
            try {
                Statx statx = AttributeReader.statx(fd);
                entry = new CachedFd(new CachedFd.Key(handle, writable), fd, durability.gateOf(statx));
                entry.seen(entry.look(), statx);
                entry.nameless = statx.linkCount() == 0;
            } finally {
                if (entry == null) {
                    fd.close();
                }
            }
        } finally {
            if (entry == null) {
                if (usesMarker) {
                    durability.marker().leave();
                }
                budget.give();
            }
        }
        CachedFd added = add(entry);
        if (changes.get() != changesBefore) {
            // Perhaps of this file, which the cache did not have then.
            added.modeChanged();
            noteName(added);
        }
        return added;
    }

    private CachedFd add(CachedFd fresh) {
        CachedFd result;
        synchronized (this) {
            result = entries.get(fresh.key());
            if (result == null) {
                result = fresh;
                if (closed) {
                    result.dropped = true;
                } else {
                    entries.put(fresh.key(), fresh);
                }
            } else {
                boolean _ = idle.remove(result);
            }
            result.users++;
        }
        if (result != fresh) {
            close(fresh);
        }
        return result;
    }

    /**
     * Checks before a file is created that it can probably be opened next.
     *
     * @throws FsException TRY_LATER if not
     */
    void requireRoom() throws FsException {
        if (!budget.hasRoom()) {
            budget.take();
            budget.give();
        }
    }

    /**
     * Notes that the file of an entry in use has no name any more.
     *
     * @return true if the caller is the only user of the entry
     */
    boolean lostName(CachedFd entry) {
        forget(entry.key().handle());
        return isSoleUser(entry);
    }

    private synchronized boolean isSoleUser(CachedFd entry) {
        return entry.users == 1;
    }

    /**
     * Brings to stable storage what was written through this descriptor or another of the same file. A file without a
     * descriptor for writing has no unstable data: the last such descriptor was synced before it was closed.
     */
    void sync(CachedFd entry, boolean withAttributes) throws FsException {
        if (entry.key().writable()) {
            Durability.sync(entry.gate(), entry.fd(), SyncGate.Descriptor.TRACKED, withAttributes);
            return;
        }
        CachedFd writer = find(entry.key().handle(), true);
        if (writer != null) {
            try {
                Durability.sync(writer.gate(), writer.fd(), SyncGate.Descriptor.TRACKED, withAttributes);
            } finally {
                release(writer);
            }
        }
    }

    /** Notes that the mode of a file was changed through the server. */
    synchronized void modeChanged(FileHandle handle) {
        long _ = changes.incrementAndGet();
        of(handle).forEach(CachedFd::modeChanged);
    }

    void release(CachedFd entry) {
        entry.usedAt(clockNanos.getAsLong());
        putBackAll(entry);
    }

    /**
     * Gives back a descriptor that was {@linkplain #find found} here, on a thread that must not wait. It stays here in
     * any case. If it should be closed, because there are too many or because the file lost its last name, the next
     * {@link #release} or {@link #sweep} does that.
     */
    void releaseQuickly(CachedFd entry) {
        entry.usedAt(clockNanos.getAsLong());
        boolean closes;
        synchronized (this) {
            entry.users--;
            closes = entry.users == 0 && entry.dropped;
            if (entry.users == 0 && !entry.dropped) {
                idle.add(entry);
            }
        }
        if (closes) {
            // The tree was closed meanwhile.
            SlowCloses.later(() -> close(entry));
        }
    }

    /** Gives a descriptor back, and syncs and gives back others to make room for it. */
    void putBackAll(CachedFd entry) {
        CachedFd dirty = putBack(entry);
        while (dirty != null) {
            syncToClose(dirty);
            dirty = putBack(dirty);
        }
    }

    /** Ends one use. If a descriptor has to be closed and is dirty, it is returned, to be synced and put back. */
    private @Nullable CachedFd putBack(CachedFd entry) {
        List<CachedFd> toClose = new ArrayList<>();
        CachedFd toSync = null;
        synchronized (this) {
            entry.users--;
            if (entry.users == 0) {
                if (entry.dropped) {
                    toClose.add(entry);
                } else {
                    idle.add(entry);
                    if (entry.nameless) {
                        closeIdleNameless(entry.key().handle(), toClose);
                    }
                    toSync = evict(maxIdle, Long.MAX_VALUE, toClose);
                }
            }
        }
        toClose.forEach(this::close);
        return toSync;
    }

    /**
     * True if a descriptor for reading exists too. Unsynced data of a file without a name matter to its readers alone.
     */
    private boolean isRead(CachedFd writer) {
        return entries.containsKey(new CachedFd.Key(writer.key().handle(), false));
    }

    /**
     * Forgets idle entries as {@link IdleFds#evict} does. One that has to be synced first is not forgotten, but
     * returned as in use.
     */
    private @Nullable CachedFd evict(int maxLeft, long maxEvicted, List<CachedFd> toClose) {
        int before = toClose.size();
        CachedFd dirty = idle.evict(maxLeft, maxEvicted, toClose);
        toClose.subList(before, toClose.size()).forEach(entry -> entries.remove(entry.key()));
        if (dirty != null) {
            dirty.users++;
        }
        return dirty;
    }

    /**
     * Syncs before a close. A failure needs no further report: it has been announced, and the clients will write again.
     */
    static void syncToClose(CachedFd dirty) {
        try {
            Durability.sync(dirty.gate(), dirty.fd(), SyncGate.Descriptor.TRACKED, true);
        } catch (FsException e) {
            LOG.debug("{} closes after a failed sync", dirty.fd());
        }
    }

    /**
     * Closes idle descriptors because others need the room: a quarter of them, at least 16, at most {@code most}, and
     * clean ones if there are any.
     *
     * @return number of descriptors closed
     */
    int closeIdle(long most) {
        List<CachedFd> toClose = new ArrayList<>();
        CachedFd dirty;
        synchronized (this) {
            if (idle.size() == 0) {
                return 0;
            }
            long wanted = Math.min(most, Math.max(idle.size() / RELIEF_PART, MIN_RELIEF));
            dirty = evict(0, wanted, toClose);
            if (dirty != null && !toClose.isEmpty()) {
                dirty.users--;
                idle.putFirst(dirty);
                dirty = null;
            }
        }
        toClose.forEach(this::close);
        if (dirty == null) {
            return toClose.size();
        }
        syncToClose(dirty);
        return closeIfUnused(dirty);
    }

    int closeIfUnused(CachedFd entry) {
        boolean closes;
        synchronized (this) {
            closes = entry.users == 1 && !entry.isDirty() && !entry.dropped;
            if (closes) {
                entry.users = 0;
                entries.remove(entry.key());
            }
        }
        if (closes) {
            close(entry);
            return 1;
        }
        putBackAll(entry);
        return 0;
    }

    /**
     * Closes the idle descriptor of a file that allows this kind of access, if it has no unsynced writes, since it
     * counts as a reader or writer of the file.
     */
    void closeIdle(FileHandle handle, boolean writable) {
        CachedFd entry;
        synchronized (this) {
            entry = entries.get(new CachedFd.Key(handle, writable));
            if (entry == null || entry.users > 0 || entry.isDirty()) {
                return;
            }
            boolean _ = idle.remove(entry);
            entries.remove(entry.key());
        }
        close(entry);
    }

    /**
     * Closes the descriptors of a file that lost its last name, since they would keep it alive: idle ones now, others
     * when their last use ends.
     */
    void forget(FileHandle handle) {
        List<CachedFd> toClose = new ArrayList<>();
        synchronized (this) {
            long _ = changes.incrementAndGet();
            of(handle).forEach(entry -> entry.nameless = true);
            closeIdleNameless(handle, toClose);
        }
        toClose.forEach(this::close);
    }

    /**
     * Forgets the idle descriptors of a file without a name. The one for reading comes first: while there is one, the
     * unsynced data of the other matter.
     */
    private void closeIdleNameless(FileHandle handle, List<CachedFd> toClose) {
        for (CachedFd entry : of(handle)) {
            if (entry.nameless && entry.users == 0 && !(entry.isDirty() && isRead(entry))) {
                boolean _ = idle.remove(entry);
                entries.remove(entry.key());
                toClose.add(entry);
            }
        }
    }

    /**
     * Closes idle descriptors of files that lost their last name by a change on the host, and those that have been idle
     * for {@value #IDLE_SECONDS} seconds. Unsynced data are synced first. Must be called from time to time.
     *
     * @param maySync false to begin no further sync, since the tree is being closed
     */
    void sweep(BooleanSupplier maySync) {
        new IdleSweep(this, clockNanos.getAsLong()).run(maySync);
    }

    /** The descriptors that nobody has open, in the order in which they would be closed. */
    synchronized List<CachedFd> idleNow() {
        return idle.all();
    }

    /** Takes a descriptor that nobody has open; false if it was used or closed meanwhile. */
    synchronized boolean takeIdle(CachedFd entry) {
        boolean taken = idle.remove(entry);
        entry.users += taken ? 1 : 0;
        return taken;
    }

    /** Finds out whether somebody on the host has removed the file's last name. */
    void noteName(CachedFd entry) {
        if (!AttributeCalls.hasName(entry.fd())) {
            boolean _ = lostName(entry);
        }
    }

    /** Number of descriptors that are kept and that nobody has open. */
    synchronized int idleCount() {
        return idle.size();
    }

    /** Closes all descriptors, even those in use. Syncs nothing, since a restart changes the write verifier. */
    @Override
    public void close() {
        List<CachedFd> all;
        synchronized (this) {
            closed = true;
            all = List.copyOf(entries.values());
            all.forEach(entry -> entry.dropped = true);
            entries.clear();
            idle.clear();
        }
        DescriptorPressure.unregister(relief);
        all.forEach(this::close);
    }

    private void close(CachedFd entry) {
        int errno = entry.close();
        if (errno < 0) {
            return;
        }
        if (entry.key().writable() && (errno == Errno.EIO || errno == Errno.ENOSPC || errno == Errno.EDQUOT)) {
            entry.gate().lost(errno);
        }
        entry.leaveGate();
        if (entry.key().writable()) {
            durability.marker().leave();
        }
        budget.give();
    }

    /** Opens the file itself. */
    @FunctionalInterface
    interface Opening {
        Fd open() throws FsException;
    }
}
