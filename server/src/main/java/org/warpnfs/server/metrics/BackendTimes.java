package org.warpnfs.server.metrics;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;

/**
 * How long the calls of backends take, of all backends of this process. Of calls that are short and many, one in {@value #SAMPLE} is measured, at random,
 * and counts for all of them: two readings of the clock cost as much as a short call. Safe for any thread.
 */
public final class BackendTimes implements MultiCollector {
    /** A power of two. */
    static final int SAMPLE = 16;

    private static final BackendTimes OF_PROCESS = new BackendTimes(System::nanoTime);

    private final LongSupplier clockNanos;
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

    /** A call begins: what {@link #ended} wants to know. */
    long begin(Call call) {
        if (call.sampled && (ThreadLocalRandom.current().nextInt() & (SAMPLE - 1)) != 0) {
            return NOT_MEASURED;
        }
        return clockNanos.getAsLong();
    }

    /** A reading of the clock in some hundreds of years. */
    private static final long NOT_MEASURED = Long.MIN_VALUE;

    void ended(Call call, long began) {
        if (began != NOT_MEASURED) {
            long now = clockNanos.getAsLong();
            latencies[index(call)].record(now - began, now, call.sampled ? SAMPLE : 1);
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
