package org.warpnfs.server.metrics;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import org.warpnfs.lanes.CallOnThread;

/**
 * How long the calls of backends take, of all backends of this process. Of calls that are short and many, one in
 * {@value #SAMPLE} is measured, at random, and counts for all of them: two readings of the clock cost as much as a
 * short call. Safe for any thread.
 */
public final class BackendTimes implements MultiCollector {
    /** A power of two. */
    static final int SAMPLE = 16;

    /** Readings of the clock in some hundreds of years: below are steps of the coarse one. */
    private static final long NOT_MEASURED = Long.MIN_VALUE;

    private static final long FIRST_MEASURED = NOT_MEASURED + (1L << 40);

    /** Shorter ones make no call slow. */
    private static final long WORTH_TELLING_NANOS = 100_000;

    private static final BackendTimes OF_PROCESS = new BackendTimes(System::nanoTime);

    private final LongSupplier clockNanos;
    private volatile CoarseClock coarse = CoarseClock.STILL;
    private final Latency[] latencies = new Latency[Call.values().length];

    /** What is told apart. */
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
        /** Of a file that was opened. */
        CLOSE(true),
        ALLOCATE(false),
        SEEK(true),
        COPY(false),
        XATTR(false),
        ACL(false),
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

    /** Of all backends of this process. */
    public static BackendTimes ofProcess() {
        return OF_PROCESS;
    }

    // The enum's order is nobody's but this array's.
    @SuppressWarnings("EnumOrdinal")
    private static int index(Call call) {
        return call.ordinal();
    }

    /**
     * Calls of clients are told what of their time a backend took, if that is long ({@link CallOnThread#spent}): by
     * {@code steps} where a call is not measured. So an average of many is right, and a single call is by a step too
     * short or too long.
     */
    public void tellCalls(CoarseClock clock) {
        coarse = clock;
    }

    /** A call begins: what {@link #ended} wants to know. */
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

    /** So many calls of a kind, as far as is known. */
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
