package org.warpnfs.tools.bench.compare;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The samples by row and round, and what could not be measured. Not thread-safe. */
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

    /** Records a failed measurement. The report names the first failure of a row. */
    void failed(Row row, String why) {
        failures.putIfAbsent(row, why);
    }

    /** Records something that is missing from the comparison. */
    void missing(String what) {
        missing.add(what);
    }

    List<String> missing() {
        return missing;
    }

    Map<Row, String> failures() {
        return failures;
    }

    /** The rows of a group that were measured at least once, in the order of tables. */
    List<Row> measured(Row.Group group) {
        return plan.rows().stream()
                .filter(row -> row.group().equals(group) && samples.containsKey(row))
                .toList();
    }

    /** The samples of a row by round. */
    List<Sample> samples(Row row) {
        return List.copyOf(samples.getOrDefault(row, Map.of()).values());
    }

    Optional<Spread> spread(Row row, Figure figure) {
        List<Double> figures = samples(row).stream()
                .map(sample -> figure.of(sample, row.work()))
                .toList();
        return figures.isEmpty() ? Optional.empty() : Optional.of(Spread.of(figures));
    }

    /**
     * The ratio of two rows, computed round by round, because other load on the host affects both rows of a round
     * alike.
     */
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

    /** Whether all planned rows that are available were measured without an error. */
    boolean clean() {
        return failures.isEmpty() && !samples.isEmpty();
    }
}
