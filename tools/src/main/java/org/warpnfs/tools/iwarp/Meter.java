package org.warpnfs.tools.iwarp;

import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** Counts the messages of a test. Safe for any thread; cheap enough for the owner threads of many connections. */
final class Meter {
    private static final int SIGNIFICANT_DIGITS = 3;

    private final LongAdder messages = new LongAdder();
    private final LongAdder bytes = new LongAdder();
    private final Histogram latencies = new ConcurrentHistogram(SIGNIFICANT_DIGITS);
    private volatile long startNanos = System.nanoTime();
    private volatile long lastNanos = startNanos;

    /** Resets the counters; the test begins now. */
    void restart() {
        startNanos = System.nanoTime();
        lastNanos = startNanos;
    }

    /** @param latencyNanos how long the message took; negative if unknown */
    void count(long messageBytes, long latencyNanos) {
        messages.increment();
        bytes.add(messageBytes);
        if (latencyNanos >= 0) {
            latencies.recordValue(latencyNanos);
        }
        lastNanos = System.nanoTime();
    }

    long messages() {
        return messages.sum();
    }

    long bytes() {
        return bytes.sum();
    }

    /** Returns the time from the beginning to now. */
    long elapsedNanos() {
        return System.nanoTime() - startNanos;
    }

    /** Returns when a message was counted last, as a value of {@link System#nanoTime()}. */
    long lastNanos() {
        return lastNanos;
    }

    /** Returns the summary from the beginning to the last message. */
    Summary summary() {
        return new Summary(messages(), bytes(), lastNanos - startNanos, latencies.copy());
    }
}
