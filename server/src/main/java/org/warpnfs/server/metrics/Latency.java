package org.warpnfs.server.metrics;

import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** A latency histogram. Recording costs two uncontended additions; the caller reads the clock. Safe for any thread. */
final class Latency {
    private static final double NANOS = 1e-9;

    private static final long[] BOUNDS = {
        50_000,
        100_000,
        250_000,
        500_000,
        1_000_000,
        2_500_000,
        5_000_000,
        10_000_000,
        25_000_000,
        50_000_000,
        100_000_000,
        250_000_000,
        500_000_000,
        1_000_000_000,
        5_000_000_000L,
    };

    /** The longest time covers the current interval and the one before. */
    private static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final LongAdder[] buckets = new LongAdder[BOUNDS.length + 1];
    private final LongAdder nanos = new LongAdder();
    private final AtomicLong longest = new AtomicLong();
    private volatile long longestBefore;
    private volatile long intervalBegan;

    /** @param nowNanos the time of the clock that is also used for {@link #record} */
    Latency(long nowNanos) {
        for (int i = 0; i < buckets.length; i++) {
            buckets[i] = new LongAdder();
        }
        intervalBegan = nowNanos;
    }

    /**
     * Records a time.
     *
     * @param lasted nanoseconds
     * @param nowNanos the monotonic clock
     */
    void record(long lasted, long nowNanos) {
        record(lasted, nowNanos, 1);
    }

    /** Records a time with a weight, for samples. */
    void record(long lasted, long nowNanos, int weight) {
        buckets[bucket(lasted)].add(weight);
        nanos.add(lasted * weight);
        if (nowNanos - intervalBegan >= INTERVAL_NANOS) {
            turn(nowNanos);
        }
        if (lasted > longest.get()) {
            longest.accumulateAndGet(lasted, Math::max);
        }
    }

    private static int bucket(long lasted) {
        int index = 0;
        while (index < BOUNDS.length && lasted > BOUNDS[index]) {
            index++;
        }
        return index;
    }

    private synchronized void turn(long nowNanos) {
        long since = nowNanos - intervalBegan;
        if (since >= INTERVAL_NANOS) {
            long last = longest.getAndSet(0);
            longestBefore = since >= 2 * INTERVAL_NANOS ? 0 : last;
            intervalBegan = nowNanos;
        }
    }

    long count() {
        long count = 0;
        for (LongAdder bucket : buckets) {
            count += bucket.sum();
        }
        return count;
    }

    long nanos() {
        return nanos.sum();
    }

    double seconds() {
        return nanos() * NANOS;
    }

    /** Returns the longest time of at most the last two minutes. */
    double longestSeconds(long nowNanos) {
        if (nowNanos - intervalBegan >= INTERVAL_NANOS) {
            turn(nowNanos);
        }
        return Math.max(longest.get(), longestBefore) * NANOS;
    }

    /** Returns the buckets for Prometheus; each has only its own count. */
    ClassicHistogramBuckets buckets() {
        ClassicHistogramBuckets.Builder builder = ClassicHistogramBuckets.builder();
        for (int i = 0; i < buckets.length; i++) {
            builder.bucket(i < BOUNDS.length ? BOUNDS[i] / 1e9 : Double.POSITIVE_INFINITY, buckets[i].sum());
        }
        return builder.build();
    }
}
