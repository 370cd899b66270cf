package org.warpnfs.tools.bench.compare;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** What was measured, by row and round, and what could not be. Not safe for two threads at once. */
final class Results {
    private final Plan plan;
    private final Map<Row, Map<Integer, Sample>> samples = new LinkedHashMap<>();
    private final Map<Row, String> failures = new LinkedHashMap<>();
    private final List<String> missing = new ArrayList<>();

    Results(Plan plan) {
        this.plan = plan;
    }

    Plan plan() {
        return plan;
    }

    void add(Row row, int round, Sample sample) {
        samples.computeIfAbsent(row, key -> new TreeMap<>()).put(round, sample);
    }

    /** A measurement that did not come about; the first of a row is told. */
    void failed(Row row, String why) {
        failures.putIfAbsent(row, why);
    }

    /** Something that is not compared at all. */
    void missing(String what) {
        missing.add(what);
    }

    List<String> missing() {
        return missing;
    }

    Map<Row, String> failures() {
        return failures;
    }

    /** Rows of a group that were measured at least once, in the order of tables. */
    List<Row> measured(Row.Group group) {
        return plan.rows().stream()
                .filter(row -> row.group().equals(group) && samples.containsKey(row))
                .toList();
    }

    /** By round. */
    List<Sample> samples(Row row) {
        return List.copyOf(samples.getOrDefault(row, Map.of()).values());
    }

    Optional<Spread> spread(Row row, Figure figure) {
        List<Double> figures = samples(row).stream()
                .map(sample -> figure.of(sample, row.work()))
                .toList();
        return figures.isEmpty() ? Optional.empty() : Optional.of(Spread.of(figures));
    }

    /** One row by another, round by round: what the host does meets both alike. */
    Optional<Spread> ratio(Row row, Row by, Figure figure) {
        Map<Integer, Sample> others = samples.getOrDefault(by, Map.of());
        List<Double> ratios = new ArrayList<>();
        samples.getOrDefault(row, Map.of()).forEach((round, sample) -> {
            Sample other = others.get(round);
            if (other != null && figure.of(other, by.work()) > 0) {
                ratios.add(figure.of(sample, row.work()) / figure.of(other, by.work()));
            }
        });
        return ratios.isEmpty() ? Optional.empty() : Optional.of(Spread.of(ratios));
    }

    /** Whether everything that was planned and there was measured without an error. */
    boolean clean() {
        return failures.isEmpty() && !samples.isEmpty();
    }
}
