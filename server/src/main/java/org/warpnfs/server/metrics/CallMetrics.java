package org.warpnfs.server.metrics;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.stats.CallRecorder;
import org.warpnfs.nfs.stats.Metered;
import org.warpnfs.nfs.stats.OperationMeter;

/**
 * Latency and errors by program, version and operation.
 *
 * <p>What was never called is not exported: a server of one version shows the operations of that one alone. How many series there are is bounded
 * by operations and statuses, never by what a client sends. Safe for any thread.
 */
final class CallMetrics implements CallRecorder, MultiCollector {
    private static final String OK = "OK";

    private final LongSupplier clockNanos;
    private final Map<Metered, Meter> meters = new ConcurrentHashMap<>();

    /** @param clockNanos monotonic */
    CallMetrics(LongSupplier clockNanos) {
        this.clockNanos = clockNanos;
    }

    @Override
    public OperationMeter meter(Metered what) {
        return meters.computeIfAbsent(what, Meter::new);
    }

    @Override
    public long nanoTime() {
        return clockNanos.getAsLong();
    }

    /** What has been called at least once, in no order. */
    List<CallTotals> totals() {
        List<CallTotals> totals = new ArrayList<>();
        meters.values().forEach(meter -> meter.addTo(totals));
        return totals;
    }

    @Override
    public MetricSnapshots collect() {
        Families calls = new Families("call");
        Families operations = new Families("operation");
        long now = nanoTime();
        for (Meter meter : meters.values()) {
            Latency latency = meter.latency;
            if (latency != null) {
                Families families = meter.what.level() == Metered.Level.CALL ? calls : operations;
                families.add(meter.labels, latency, now);
                meter.errors.forEach((status, errors) ->
                        families.addErrors(meter.labels.merge(Labels.of("status", status)), errors.sum()));
            }
        }
        MetricSnapshots.Builder snapshots = MetricSnapshots.builder();
        calls.addTo(snapshots);
        operations.addTo(snapshots);
        return snapshots.build();
    }

    private static final class Meter implements OperationMeter {
        private final Metered what;
        private final Labels labels;
        private final Map<String, LongAdder> errors = new ConcurrentHashMap<>();
        private volatile @Nullable Latency latency;

        Meter(Metered what) {
            this.what = what;
            Labels own = Labels.of("operation", what.operation(), "version", what.version());
            labels = what.level() == Metered.Level.CALL ? own.merge(Labels.of("program", what.program())) : own;
        }

        @Override
        public Metered what() {
            return what;
        }

        @Override
        public void ended(long nanos, long nowNanos, String status) {
            Latency known = latency;
            (known == null ? first(nowNanos) : known).record(nanos, nowNanos);
            if (!status.equals(OK)) {
                errors.computeIfAbsent(status, _ -> new LongAdder()).increment();
            }
        }

        private synchronized Latency first(long nowNanos) {
            Latency known = latency;
            if (known == null) {
                known = new Latency(nowNanos);
                latency = known;
            }
            return known;
        }

        void addTo(List<CallTotals> totals) {
            Latency known = latency;
            if (known != null) {
                long failed = errors.values().stream().mapToLong(LongAdder::sum).sum();
                totals.add(new CallTotals(what, known.count(), known.nanos(), failed));
            }
        }
    }
}
