package org.warpnfs.fs.local;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.warpnfs.fs.local.libc.Statx;

/**
 * Numbers the states of each file, out of its change time in nanoseconds, which on many kernels stands still for
 * milliseconds.
 *
 * <ul>
 *   <li>A file that was changed through this server has its last number here. Each change raises it by at least one,
 *       and to the change time if that is more.
 *   <li>Any other file has its change time; plus {@value #SETTLED} if that is of before this start or a while ago.
 *       There are never so many changes within one tick: the number is then above all that were given for this change
 *       time, also by an earlier run, and below those of the next tick.
 *   <li>No number of this run for a later change is below that of its start plus {@value #SETTLED}.
 * </ul>
 *
 * <p>They grow as long as the host's clock does not go back: a file that is forgotten here, or of before a restart, has
 * nothing but its change time. So they are a time (change_attr_type4 TIME_METADATA, RFC 7862, section 12.2.3), not a
 * counter.
 *
 * <p>So a number can change once without a change of the file, when it is forgotten here, but never the other way
 * about.
 */
final class ChangeIds {
    private static final long SETTLED = 500_000;
    private static final long SETTLING_SECONDS = 2;
    private static final int MAX_REMEMBERED = 65_536;

    private final long startNanos = nanos(Instant.now());
    private final Cache<Inode, Long> lastByInode =
            CacheBuilder.newBuilder().maximumSize(MAX_REMEMBERED).build();

    /** The number of the state that {@code statx} shows. */
    long of(Statx statx) {
        long changeNanos = changeNanos(statx);
        Long last = lastByInode.getIfPresent(Inode.of(statx));
        if (last == null) {
            return unremembered(changeNanos);
        }
        if (last >= changeNanos) {
            return last;
        }
        // Changed behind our back, or by a call that is about to say so.
        return lastByInode.asMap().merge(Inode.of(statx), changeNanos, Math::max);
    }

    private long unremembered(long changeNanos) {
        if (changeNanos < startNanos) {
            return changeNanos + SETTLED;
        }
        boolean settled = nanos(Instant.now()) - changeNanos > TimeUnit.SECONDS.toNanos(SETTLING_SECONDS);
        return settled ? changeNanos + SETTLED : Math.max(changeNanos, startNanos + SETTLED);
    }

    /** A change was made through this server, after which the file is as {@code statx} shows. */
    void changed(Statx statx) {
        long changeNanos = changeNanos(statx);
        long first = Math.max(changeNanos, startNanos + SETTLED) + 1;
        lastByInode
                .asMap()
                .compute(Inode.of(statx), (inode, last) -> last == null ? first : Math.max(last + 1, changeNanos));
    }

    private static long changeNanos(Statx statx) {
        return TimeUnit.SECONDS.toNanos(statx.changeSeconds()) + statx.changeNanos();
    }

    private static long nanos(Instant instant) {
        return TimeUnit.SECONDS.toNanos(instant.getEpochSecond()) + instant.getNano();
    }

    private record Inode(long device, long number) {
        static Inode of(Statx statx) {
            return new Inode(statx.fileSystemDevice(), statx.inode());
        }
    }
}
