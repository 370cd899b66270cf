package org.warpnfs.fs.local;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.warpnfs.fs.local.libc.Statx;
import org.warpnfs.keys.KeyedHash;

/**
 * Numbers the states of each file. The numbers are made from its change time in nanoseconds, which on many kernels
 * advances only every few milliseconds.
 *
 * <ul>
 *   <li>If a file was changed through this server, its last number is remembered here. Each change raises the number by
 *       at least one, and to the change time if that is more.
 *   <li>Any other file has its change time as its number. {@value #SETTLED} is added if the change time is from before
 *       this start or a while ago. There are never so many changes within one tick. So the number is above all that
 *       were given for this change time, also by an earlier run, and below those of the next tick.
 *   <li>No number that this run gives to a later change is below the time of its start plus {@value #SETTLED}.
 * </ul>
 *
 * <p>Numbers increase as long as the host's clock does not go back. A file that is not remembered here, or was changed
 * before a restart, has nothing but its change time. So no order is promised to clients
 * ({@link org.warpnfs.fs.spi.ChangeOrder#NONE}): they would ignore attributes with a lower number as older ones.
 *
 * <p>When a file is forgotten here, its number can change once without a change of the file. A change of the file
 * always changes the number.
 */
final class ChangeIds {
    private static final long SETTLED = 500_000;
    private static final long SETTLING_SECONDS = 2;
    private static final int MAX_REMEMBERED = 65_536;

    private final LongSupplier clockNanos;
    private final long startNanos;
    private final Cache<Inode, Long> lastByInode =
            CacheBuilder.newBuilder().maximumSize(MAX_REMEMBERED).build();

    ChangeIds() {
        this(() -> nanos(Instant.now()));
    }

    /** @param clockNanos the host's clock, since 1970; it may be set back */
    ChangeIds(LongSupplier clockNanos) {
        this.clockNanos = clockNanos;
        this.startNanos = clockNanos.getAsLong();
    }

    /** The number of the file's state as of {@code statx}. */
    long of(Statx statx) {
        long changeNanos = changeNanos(statx);
        Long last = lastByInode.getIfPresent(Inode.of(statx));
        if (last == null) {
            return unremembered(changeNanos);
        }
        if (last >= changeNanos) {
            return last;
        }
        // The file was changed other than through this server, or by a call that will report it in a moment.
        return lastByInode.asMap().merge(Inode.of(statx), changeNanos, Math::max);
    }

    private long unremembered(long changeNanos) {
        if (changeNanos < startNanos) {
            return changeNanos + SETTLED;
        }
        boolean settled = clockNanos.getAsLong() - changeNanos > TimeUnit.SECONDS.toNanos(SETTLING_SECONDS);
        return settled ? changeNanos + SETTLED : Math.max(changeNanos, startNanos + SETTLED);
    }

    /** Notes that the file was changed through this server. {@code statx} is its state after the change. */
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
        @Override
        public int hashCode() {
            return KeyedHash.of(device, number);
        }

        static Inode of(Statx statx) {
            return new Inode(statx.fileSystemDevice(), statx.inode());
        }
    }
}
