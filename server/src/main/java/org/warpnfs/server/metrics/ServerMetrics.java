package org.warpnfs.server.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.warpnfs.nfs.stats.CallRecorder;

/**
 * All metrics of a server, in the format of Prometheus.
 *
 * <p>All counters are read once for each {@link #scrape()}. The values of one answer belong to about the same time,
 * since the counters continue to run meanwhile. Safe for any thread.
 */
public final class ServerMetrics implements AutoCloseable {
    /** The content type of {@link #scrape()}. */
    public static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final CallMetrics calls = new CallMetrics(System::nanoTime);
    private final Supplier<Map<String, Number>> source;
    private volatile Map<String, Number> values;

    /**
     * @param version the version of this build
     * @param source the counters of {@link MetricTable} by name; a missing one counts as 0
     */
    public ServerMetrics(String version, Supplier<Map<String, Number>> source) {
        this.source = source;
        this.values = read();
        for (Metric metric : MetricTable.all()) {
            metric.sources().forEach((counter, values) -> register(metric, counter, tags(metric.labels(), values)));
        }
        registry.getPrometheusRegistry().register(calls);
        registry.getPrometheusRegistry().register(BackendTimes.ofProcess());
        registry.getPrometheusRegistry().register(new TerminateMetrics(() -> values));
        registry.getPrometheusRegistry().register(new DataServerMetrics(() -> values));
        Gauge.builder(Metric.PREFIX + "build.info", () -> 1)
                .description(MetricTable.all().getFirst().help())
                .tags("version", version, "java", Runtime.version().toString())
                .register(registry);
    }

    private static Tags tags(List<String> labels, List<String> values) {
        Tags tags = Tags.empty();
        for (int i = 0; i < labels.size(); i++) {
            tags = tags.and(labels.get(i), values.get(i));
        }
        return tags;
    }

    private void register(Metric metric, String counter, Tags tags) {
        if (metric.type() == Metric.Type.COUNTER) {
            FunctionCounter.builder(metric.name(), this, metrics -> metrics.value(counter))
                    .description(metric.help())
                    .tags(tags)
                    .register(registry);
        } else {
            Gauge.builder(metric.name(), this, metrics -> metrics.value(counter))
                    .description(metric.help())
                    .tags(tags)
                    .register(registry);
        }
    }

    private Map<String, Number> read() {
        Map<String, Number> fresh = new HashMap<>(source.get());
        ProcessValues.addTo(fresh);
        return fresh;
    }

    private double value(String counter) {
        return values.getOrDefault(counter, 0).doubleValue();
    }

    /** Returns the recorder of calls. */
    public CallRecorder recorder() {
        return calls;
    }

    /** Returns the totals of calls since the start, over all transports. */
    public List<CallTotals> calls() {
        return CallTotals.overAllTransports(calls.totals());
    }

    /** Returns the totals of calls since the start, by transport. */
    public List<CallTotals> callsByTransport() {
        return calls.totals();
    }

    /** Reads and returns the values of the metrics by the names of their sources. */
    public Map<String, Number> values() {
        return read();
    }

    /** Returns the text for Prometheus, of type {@link #CONTENT_TYPE}. */
    public String scrape() {
        values = read();
        return registry.scrape();
    }

    @Override
    public void close() {
        registry.close();
    }
}
