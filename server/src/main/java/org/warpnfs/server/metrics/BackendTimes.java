package org.warpnfs.server.metrics;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import org.warpnfs.lanes.CallOnThread;

/**
 * Measures the calls of all backends of this process. Of short, frequent calls one in {@value #SAMPLE} is measured, at
 * random, and counts for all of them, since two readings of the clock cost as much as a short call. Safe for any
 * thread.
 */
public final class BackendTimes implements MultiCollector {
    /** A power of two. */
    static final int SAMPLE = 16;

    /**
     * The smallest values, which the clock reaches only after some hundreds of years, stand for steps of the coarse
     * clock.
     */
    private static final long NOT_MEASURED = Long.MIN_VALUE;

    private static final long FIRST_MEASURED = NOT_MEASURED + (1L << 40);

    /** Shorter times are not reported, since they make no call slow. */
    private static final long WORTH_TELLING_NANOS = 100_000;

    private static final BackendTimes OF_PROCESS = new BackendTimes(System::nanoTime);

    private final LongSupplier clockNanos;
    private volatile CoarseClock coarse = CoarseClock.STILL;
    private final Latency[] latencies = new Latency[Call.values().length];

    /** The kinds of backend calls. */
    public enum Call {
        ATTRIBUTES(true),
        SET_ATTRIBUTES(false),
        PERMISSIONS(true),
        LOOKUP(true),
        LIST(false),
        CREATE(false),
        READ_SYMLINK(true),
        LINK(false),
        REMOVE(false),
        RENAME(false),
        OPEN(true),
        READ(true),
        WRITE(true),
        /** A WRITE that is stable when it returns. */
        WRITE_STABLE(false),
        SYNC(false),
        /** Closing an open file. */
        CLOSE(true),
        ALLOCATE(false),
        SEEK(true),
        COPY(false),
        XATTR(false),
        ACL(false),
        LOCK(false),
        STATISTICS(false);

        private final boolean sampled;

        Call(boolean sampled) {
            this.sampled = sampled;
        }

        String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** @param clockNanos monotonic */
    BackendTimes(LongSupplier clockNanos) {
        this.clockNanos = clockNanos;
        long now = clockNanos.getAsLong();
        for (Call call : Call.values()) {
            latencies[index(call)] = new Latency(now);
        }
    }

    /** Returns the times of all backends of this process. */
    public static BackendTimes ofProcess() {
        return OF_PROCESS;
    }

    // The ordinal is used only as an index of this array.
    @SuppressWarnings("EnumOrdinal")
    private static int index(Call call) {
        return call.ordinal();
    }

    /**
     * Reports the time in backends to the calls of clients if it is long ({@link CallOnThread#spent}). Backend calls
     * that are not measured are timed with {@code steps}; the mean of many is right, but a single call may be wrong by
     * one step.
     */
    public void tellCalls(CoarseClock clock) {
        coarse = clock;
    }

    /** Called when a call begins; returns the argument for {@link #ended}. */
    long begin(Call call) {
        if (call.sampled && (ThreadLocalRandom.current().nextInt() & (SAMPLE - 1)) != 0) {
            return NOT_MEASURED + coarse.steps();
        }
        return clockNanos.getAsLong();
    }

    void ended(Call call, long began) {
        if (began < FIRST_MEASURED) {
            CoarseClock clock = coarse;
            long passed = clock.steps() - (began - NOT_MEASURED);
            if (passed > 0) {
                CallOnThread.spent(passed * clock.stepNanos());
            }
            return;
        }
        long now = clockNanos.getAsLong();
        latencies[index(call)].record(now - began, now, call.sampled ? SAMPLE : 1);
        if (now - began >= WORTH_TELLING_NANOS) {
            CallOnThread.spent(now - began);
        }
    }

    /** Returns the number of calls of a kind, estimated from the samples. */
    long count(Call call) {
        return latencies[index(call)].count();
    }

    @Override
    public MetricSnapshots collect() {
        Families families = new Families("backend");
        long now = clockNanos.getAsLong();
        for (Call call : Call.values()) {
            families.add(Labels.of("call", call.label()), latencies[index(call)], now);
        }
        MetricSnapshots.Builder snapshots = MetricSnapshots.builder();
        families.addTo(snapshots);
        return snapshots.build();
    }
}
