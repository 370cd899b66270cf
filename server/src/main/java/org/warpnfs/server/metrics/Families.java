package org.warpnfs.server.metrics;

import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;

/** The metrics of calls for one scrape: a histogram, the longest time, and errors. Not safe for several threads. */
final class Families {
    private final String name;
    private final HistogramSnapshot.Builder durations;
    private final GaugeSnapshot.Builder longest;
    private final CounterSnapshot.Builder errors;
    private boolean timed;
    private boolean failed;

    /** @param stem the part of the name between the prefix and {@code _duration_seconds} */
    Families(String stem) {
        this.name = Metric.PREFIX + stem;
        this.durations = HistogramSnapshot.builder().name(name + "_duration_seconds");
        this.longest = GaugeSnapshot.builder().name(name + "_duration_seconds_max");
        this.errors = CounterSnapshot.builder().name(name + "_errors");
    }

    void add(Labels labels, Latency latency, long nowNanos) {
        timed = true;
        durations.dataPoint(HistogramSnapshot.HistogramDataPointSnapshot.builder()
                .labels(labels)
                .classicHistogramBuckets(latency.buckets())
                .sum(latency.seconds())
                .build());
        longest.dataPoint(GaugeSnapshot.GaugeDataPointSnapshot.builder()
                .labels(labels)
                .value(latency.longestSeconds(nowNanos))
                .build());
    }

    void addErrors(Labels labels, long count) {
        failed = true;
        errors.dataPoint(CounterSnapshot.CounterDataPointSnapshot.builder()
                .labels(labels)
                .value((double) count)
                .build());
    }

    /** Adds the metrics to a snapshot. */
    void addTo(MetricSnapshots.Builder snapshots) {
        if (timed) {
            snapshots.metricSnapshot(
                    durations.help(MetricTable.help(name + "_duration_seconds")).build());
            snapshots.metricSnapshot(longest.help(MetricTable.help(name + "_duration_seconds_max"))
                    .build());
        }
        if (failed) {
            snapshots.metricSnapshot(
                    errors.help(MetricTable.help(name + "_errors_total")).build());
        }
    }
}
