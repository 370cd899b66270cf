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
import org.warpnfs.nfs.stats.CallRecorder;
import org.warpnfs.nfs.stats.Metered;
import org.warpnfs.nfs.stats.OperationMeter;

/**
 * Latency and errors by program, version, operation and transport.
 *
 * <p>Operations that were never called are not exported. The number of series is bounded by operations and statuses,
 * and does not depend on what clients send. Safe for any thread.
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

    /** Returns the totals of everything that was called at least once, in no order. */
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
            meter.addTo(meter.what.level() == Metered.Level.CALL ? calls : operations, now);
        }
        MetricSnapshots.Builder snapshots = MetricSnapshots.builder();
        calls.addTo(snapshots);
        operations.addTo(snapshots);
        return snapshots.build();
    }

    private static final class Meter implements OperationMeter {
        private final Metered what;
        private final Labels labels;
        /** One entry for each transport. */
        private final Map<String, OfTransport> transports = new ConcurrentHashMap<>();

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
        public void ended(String transport, long nanos, long nowNanos, String status) {
            OfTransport known = transports.get(transport);
            if (known == null) {
                known = transports.computeIfAbsent(
                        transport, name -> new OfTransport(labels.merge(Labels.of("transport", name)), nowNanos));
            }
            known.ended(nanos, nowNanos, status);
        }

        void addTo(Families families, long nowNanos) {
            transports.values().forEach(one -> {
                families.add(one.labels, one.latency, nowNanos);
                one.errors.forEach((status, errors) ->
                        families.addErrors(one.labels.merge(Labels.of("status", status)), errors.sum()));
            });
        }

        void addTo(List<CallTotals> totals) {
            transports.forEach((transport, one) -> {
                long failed =
                        one.errors.values().stream().mapToLong(LongAdder::sum).sum();
                totals.add(new CallTotals(what, transport, one.latency.count(), one.latency.nanos(), failed));
            });
        }
    }

    /** The calls of one transport. */
    private static final class OfTransport {
        private final Labels labels;
        private final Latency latency;
        private final Map<String, LongAdder> errors = new ConcurrentHashMap<>();

        OfTransport(Labels labels, long nowNanos) {
            this.labels = labels;
            this.latency = new Latency(nowNanos);
        }

        void ended(long nanos, long nowNanos, String status) {
            latency.record(nanos, nowNanos);
            if (!status.equals(OK)) {
                errors.computeIfAbsent(status, _ -> new LongAdder()).increment();
            }
        }
    }
}
