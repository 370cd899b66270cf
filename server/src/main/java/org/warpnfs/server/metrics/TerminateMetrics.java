package org.warpnfs.server.metrics;

import io.prometheus.metrics.model.registry.Collector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.warpnfs.iwarp.qp.TerminateCause;

/**
 * Terminates by cause. All causes of the RFCs are exported from the start, so that the first Terminate is visible as an
 * increase.
 */
public final class TerminateMetrics implements Collector {
    private static final String NAME = Metric.PREFIX + "iwarp_terminates";
    /** The prefix of the names of the values. */
    private static final String STEM = "iwarp_terminates:";

    private final Supplier<Map<String, Number>> values;

    TerminateMetrics(Supplier<Map<String, Number>> values) {
        this.values = values;
    }

    /** Returns the name of a value. */
    public static String key(String direction, TerminateCause cause) {
        return STEM + direction + ":" + cause.layer() + ":" + cause.code();
    }

    @Override
    public MetricSnapshot collect() {
        Map<String, Number> now = values.get();
        CounterSnapshot.Builder snapshot = CounterSnapshot.builder().name(NAME).help(MetricTable.help(NAME + "_total"));
        for (String direction : List.of("received", "sent")) {
            for (TerminateCause cause : TerminateCause.all()) {
                snapshot.dataPoint(CounterSnapshot.CounterDataPointSnapshot.builder()
                        .labels(Labels.of("cause", cause.code(), "direction", direction, "layer", cause.layer()))
                        .value(now.getOrDefault(key(direction, cause), 0).doubleValue())
                        .build());
            }
        }
        return snapshot.build();
    }
}
