package org.warpnfs.fs.local;

import java.time.Clock;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.Statx;
import org.warpnfs.fs.spi.FsException;

/**
 * The {@link OwnerAttribute} of a file that has a cached descriptor, as it was last read. To read it may mean to wait
 * for a disk, even while the file is open.
 *
 * <p>Every change by this process counts at once. A change by somebody on the host counts at once if the file's last
 * change is a while ago, by its change time, and within a second otherwise: each write changes that time too. Safe for
 * many threads.
 */
final class KeptOwner {
    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** Longer than a step of the clock that change times are read from. */
    private static final long SETTLED_SECONDS = 2;

    /**
     * How often attributes were changed, for all trees, since a file may be in several. Two files rarely share a count,
     * and then one is read once more than it has to.
     */
    private static final AtomicLongArray CHANGES = new AtomicLongArray(1 << 12);

    private final LongSupplier nanos;
    private final Clock clock;
    private volatile @Nullable Kept kept;

    private record Kept(
            OwnerAttribute attribute,
            long changes,
            long readNanos,
            boolean settled,
            long changeSeconds,
            int changeNanos) {
        boolean isOf(Statx host) {
            return settled && changeSeconds == host.changeSeconds() && changeNanos == host.changeNanos();
        }
    }

    KeptOwner() {
        this(System::nanoTime, Clock.systemUTC());
    }

    KeptOwner(LongSupplier nanos, Clock clock) {
        this.nanos = nanos;
        this.clock = clock;
    }

    /** Notes that the attribute of a file has been changed. */
    static void changed(Statx host) {
        long _ = CHANGES.incrementAndGet(slot(host));
    }

    private static int slot(Statx host) {
        return Long.hashCode(host.inode() * 31 + host.fileSystemDevice()) & CHANGES.length() - 1;
    }

    /** The attribute, if it is known without a wait. */
    @Nullable
    OwnerAttribute known(Statx host) {
        Kept last = unchangedHere(host);
        return last != null && (last.isOf(host) || nanos.getAsLong() - last.readNanos < FRESH_NANOS)
                ? last.attribute
                : null;
    }

    private @Nullable Kept unchangedHere(Statx host) {
        Kept last = kept;
        return last != null && last.changes == CHANGES.get(slot(host)) ? last : null;
    }

    /**
     * The attribute for a thread that must not wait, and has found it {@linkplain #known known} a moment ago. It is
     * read again only if this process has just written it, so that it is in memory.
     */
    OwnerAttribute knownLately(Fd file, Statx host) throws FsException {
        Kept last = unchangedHere(host);
        return last != null ? last.attribute : read(file, host);
    }

    /**
     * The attribute, read if it is not known.
     *
     * @param host of the file, just read
     */
    OwnerAttribute of(Fd file, Statx host) throws FsException {
        OwnerAttribute known = known(host);
        return known != null ? known : read(file, host);
    }

    private OwnerAttribute read(Fd file, Statx host) throws FsException {
        long changes = CHANGES.get(slot(host));
        long now = nanos.getAsLong();
        boolean settled = clock.instant().getEpochSecond() - host.changeSeconds() >= SETTLED_SECONDS;
        OwnerAttribute read = OwnerAttribute.of(file, host);
        kept = new Kept(read, changes, now, settled, host.changeSeconds(), host.changeNanos());
        return read;
    }
}
