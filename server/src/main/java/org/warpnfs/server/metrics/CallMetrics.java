package org.warpnfs.server.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
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
final class CallMetrics implements CallRecorder {
    private static final String OK = "OK";
    private static final Duration[] BUCKETS = {
        Duration.ofNanos(50_000),
        Duration.ofNanos(100_000),
        Duration.ofNanos(250_000),
        Duration.ofNanos(500_000),
        Duration.ofMillis(1),
        Duration.ofNanos(2_500_000),
        Duration.ofMillis(5),
        Duration.ofMillis(10),
        Duration.ofMillis(25),
        Duration.ofMillis(50),
        Duration.ofMillis(100),
        Duration.ofMillis(250),
        Duration.ofMillis(500),
        Duration.ofSeconds(1),
        Duration.ofSeconds(5),
    };

    private final MeterRegistry registry;
    private final LongSupplier clockNanos;
    private final Map<Metered, Meter> meters = new ConcurrentHashMap<>();

    /** @param clockNanos monotonic */
    CallMetrics(MeterRegistry registry, LongSupplier clockNanos) {
        this.registry = registry;
        this.clockNanos = clockNanos;
    }

    @Override
    public OperationMeter meter(Metered what) {
        return meters.computeIfAbsent(what, Meter::new);
    }

    /** What has been called at least once, in no order. */
    List<CallTotals> totals() {
        List<CallTotals> totals = new ArrayList<>();
        meters.values().forEach(meter -> meter.addTo(totals));
        return totals;
    }

    private final class Meter implements OperationMeter {
        private final Metered what;
        private final String name;
        private final Tags tags;
        private final Map<String, Counter> errors = new ConcurrentHashMap<>();
        private volatile @Nullable Timer timer;

        Meter(Metered what) {
            this.what = what;
            boolean call = what.level() == Metered.Level.CALL;
            name = Metric.PREFIX + (call ? "call" : "operation");
            Tags own = Tags.of("operation", what.operation(), "version", what.version());
            tags = call ? own.and("program", what.program()) : own;
        }

        @Override
        public Running begin() {
            long begin = clockNanos.getAsLong();
            return status -> ended(clockNanos.getAsLong() - begin, status);
        }

        private void ended(long nanos, String status) {
            timer().record(nanos, TimeUnit.NANOSECONDS);
            if (!status.equals(OK)) {
                errors.computeIfAbsent(status, this::errorsOf).increment();
            }
        }

        private Timer timer() {
            Timer known = timer;
            if (known == null) {
                // The registry gives the same one to all who ask at once.
                known = Timer.builder(name + "_duration")
                        .description(help(name + "_duration_seconds"))
                        .tags(tags)
                        .serviceLevelObjectives(BUCKETS)
                        .register(registry);
                timer = known;
            }
            return known;
        }

        private Counter errorsOf(String status) {
            return Counter.builder(name + "_errors")
                    .description(help(name + "_errors_total"))
                    .tags(tags.and("status", status))
                    .register(registry);
        }

        void addTo(List<CallTotals> totals) {
            Timer known = timer;
            if (known != null) {
                double failed =
                        errors.values().stream().mapToDouble(Counter::count).sum();
                totals.add(new CallTotals(
                        what, known.count(), (long) known.totalTime(TimeUnit.NANOSECONDS), (long) failed));
            }
        }
    }

    private static String help(String metric) {
        return MetricTable.all().stream()
                .filter(row -> row.name().equals(metric))
                .map(Metric::help)
                .findFirst()
                .orElseThrow();
    }
}
