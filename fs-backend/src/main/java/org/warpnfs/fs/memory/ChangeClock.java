package org.warpnfs.fs.memory;

import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.warpnfs.fs.spi.Timestamp;

/**
 * Gives times and change numbers. Each number is higher than all before it, also than those of an earlier run unless
 * the clock went back meanwhile.
 */
final class ChangeClock {
    private final InstantSource source;
    private final AtomicLong lastChangeId = new AtomicLong();

    ChangeClock(InstantSource source) {
        this.source = source;
    }

    Timestamp now() {
        return Timestamp.of(source.instant());
    }

    long nextChangeId() {
        Instant now = source.instant();
        long nanos = TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
        return lastChangeId.accumulateAndGet(nanos, (last, present) -> Math.max(last + 1, present));
    }
}
