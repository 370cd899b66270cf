package org.warpnfs.server.metrics;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * An exported metric.
 *
 * @param name the name with prefix, unit and, for counters, {@code _total}
 * @param labels the labels in order; none identifies a client
 * @param sources the counters of the metric, each with its label values in order; empty if the metric has another
 *     source
 */
public record Metric(String name, Type type, List<String> labels, Map<String, List<String>> sources, String help) {
    /** The prefix of all names. */
    public static final String PREFIX = "warpnfs_";

    /** The type of a metric in Prometheus. */
    public enum Type {
        COUNTER,
        GAUGE,
        HISTOGRAM,
        INFO
    }

    static Metric total(String name, String source, String help) {
        return new Metric(PREFIX + name + "_total", Type.COUNTER, List.of(), Map.of(source, List.of()), help);
    }

    static Metric level(String name, String source, String help) {
        return new Metric(PREFIX + name, Type.GAUGE, List.of(), Map.of(source, List.of()), help);
    }

    /** Returns a counter with a value for each of both transports. */
    static Metric totalOfBoth(String name, String source, String help) {
        return new Metric(PREFIX + name + "_total", Type.COUNTER, List.of("transport"), ofBoth(source), help);
    }

    static Metric levelOfBoth(String name, String source, String help) {
        return new Metric(PREFIX + name, Type.GAUGE, List.of("transport"), ofBoth(source), help);
    }

    private static Map<String, List<String>> ofBoth(String source) {
        Map<String, List<String>> sources = new LinkedHashMap<>();
        sources.put("rdma_" + source, List.of("rdma"));
        sources.put("tcp_" + source, List.of("tcp"));
        return sources;
    }

    /** Returns a gauge with a value for each lane. */
    static Metric levelOfLanes(String name, String source, String help) {
        Map<String, List<String>> sources = new LinkedHashMap<>();
        for (String lane : List.of("short", "data", "long")) {
            sources.put(source + "_" + lane, List.of(lane));
        }
        return new Metric(PREFIX + name, Type.GAUGE, List.of("lane"), sources, help);
    }

    /** Returns a counter with a value for each value of a label. */
    static Metric totals(String name, String label, Map<String, String> sources, String help) {
        return totals(name, List.of(label), valuesOf(sources), help);
    }

    /** Returns a gauge with a value for each value of a label. */
    static Metric levels(String name, String label, Map<String, String> sources, String help) {
        return new Metric(PREFIX + name, Type.GAUGE, List.of(label), valuesOf(sources), help);
    }

    /** Returns the sources of a metric with one label. */
    private static Map<String, List<String>> valuesOf(Map<String, String> sources) {
        Map<String, List<String>> values = new LinkedHashMap<>();
        sources.forEach((source, value) -> values.put(source, List.of(value)));
        return values;
    }

    /** Returns a counter with a value for each existing combination of labels. */
    static Metric totals(String name, List<String> labels, Map<String, List<String>> sources, String help) {
        return new Metric(PREFIX + name + "_total", Type.COUNTER, labels, sources, help);
    }

    /** Returns a metric with another source than counters. */
    static Metric fed(String name, Type type, List<String> labels, String help) {
        return new Metric(PREFIX + name, type, labels, Map.of(), help);
    }
}
