package org.warpnfs.server.metrics;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One metric as it is exported.
 *
 * @param name with its prefix, its unit and, if it only grows, {@code _total}
 * @param labels in order; none names a client
 * @param sources the counters it shows, each with the values of the labels, in their order; empty if it is fed
 *     otherwise
 */
public record Metric(String name, Type type, List<String> labels, Map<String, List<String>> sources, String help) {
    /** Before every name. */
    public static final String PREFIX = "warpnfs_";

    /** How it behaves over time, in Prometheus' words. */
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

    /** The same thing counted by both transports. */
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

    /** The same thing in each lane. */
    static Metric levelOfLanes(String name, String source, String help) {
        Map<String, List<String>> sources = new LinkedHashMap<>();
        for (String lane : List.of("short", "data", "long")) {
            sources.put(source + "_" + lane, List.of(lane));
        }
        return new Metric(PREFIX + name, Type.GAUGE, List.of("lane"), sources, help);
    }

    /** One count for each value of a label. */
    static Metric totals(String name, String label, Map<String, String> sources, String help) {
        return totals(name, List.of(label), valuesOf(sources), help);
    }

    /** One value for each value of a label. */
    static Metric levels(String name, String label, Map<String, String> sources, String help) {
        return new Metric(PREFIX + name, Type.GAUGE, List.of(label), valuesOf(sources), help);
    }

    /** Those of the only label. */
    private static Map<String, List<String>> valuesOf(Map<String, String> sources) {
        Map<String, List<String>> values = new LinkedHashMap<>();
        sources.forEach((source, value) -> values.put(source, List.of(value)));
        return values;
    }

    /** One counter for each combination of labels that there is. */
    static Metric totals(String name, List<String> labels, Map<String, List<String>> sources, String help) {
        return new Metric(PREFIX + name + "_total", Type.COUNTER, labels, sources, help);
    }

    /** One that is fed by itself. */
    static Metric fed(String name, Type type, List<String> labels, String help) {
        return new Metric(PREFIX + name, type, labels, Map.of(), help);
    }
}
