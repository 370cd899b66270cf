package org.warpnfs.tools.bench.compare;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.warpnfs.tools.bench.NameBench;

/**
 * The plan of the measurements: which, in what order, and how long they take.
 *
 * <p>A round measures each row once. Rows that are compared follow each other within it, so that other load on the host
 * affects all of them alike. Each round begins its groups with a different competitor. A short round before the first
 * one warms the servers up and does not count.
 */
public final class Plan {
    /** The depth at which the goals compare users. It is large enough to keep the server busy. */
    private static final int DEPTH_OF_USERS = 32;

    private static final int OTHER_UID = 1000;
    private static final Duration AROUND_EACH = Duration.ofMillis(1200);
    private static final Duration START = Duration.ofSeconds(10);
    /**
     * The just-in-time compiler of a server takes up to 40 % of its processor time for some seconds after the first
     * calls of a kind.
     */
    private static final Duration SETTLE = Duration.ofSeconds(8);
    /** Shorter measurements are for a first look, which need not wait for that. */
    private static final Duration FIRST_LOOK = Duration.ofSeconds(2);

    private final CompareOptions options;
    private final List<Row> rows;

    public Plan(CompareOptions options) {
        this.options = options;
        this.rows = rows(options);
    }

    private static List<Row> rows(CompareOptions options) {
        List<Row> rows = new ArrayList<>();
        for (Tree tree : options.trees()) {
            for (Work work : options.works()) {
                for (int depth : options.depths().isEmpty() ? work.depths() : options.depths()) {
                    for (int uid : uids(options, work, depth)) {
                        competitors(options, work, uid)
                                .forEach(competitor -> rows.add(new Row(work, depth, tree, uid, competitor)));
                    }
                }
            }
        }
        return rows;
    }

    private static List<Integer> uids(CompareOptions options, Work work, int depth) {
        if (!options.uids().isEmpty()) {
            return options.uids();
        }
        boolean both = !work.bulk() && work.task().isEmpty() && depth == DEPTH_OF_USERS;
        return both ? List.of(0, OTHER_UID) : List.of(0);
    }

    private static List<Competitor> competitors(CompareOptions options, Work work, int uid) {
        List<Competitor> competitors = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            boolean isThere = !kind.other() || options.other().isPresent();
            if (!isThere || !options.servers().contains(kind.word()) || !kind.does(work)) {
                continue;
            }
            if (!kind.bare()) {
                options.versions().forEach(version -> competitors.add(new Competitor(kind, version)));
            } else if (uid == 0) {
                competitors.add(new Competitor(kind, 0));
            }
        }
        return competitors;
    }

    CompareOptions options() {
        return options;
    }

    /** Whether nothing is left to measure, since no competitor does any of the work. */
    public boolean isEmpty() {
        return rows.isEmpty();
    }

    /** All rows, in the order of tables. */
    List<Row> rows() {
        return rows;
    }

    /** The rows with a measurement of their own. The others are measured together with one of them. */
    private List<Row> measurements() {
        return rows.stream().filter(row -> row.work().leads()).toList();
    }

    /** Returns the rows of one round in the order of measurement. Rounds count from 0. */
    List<Row> round(int number) {
        List<Row> ordered = new ArrayList<>();
        List<Row> measurements = measurements();
        for (Row.Group group : groups()) {
            List<Row> side = measurements.stream()
                    .filter(row -> row.group().equals(group))
                    .toList();
            for (int i = 0; i < side.size(); i++) {
                ordered.add(side.get((i + number) % side.size()));
            }
        }
        return ordered;
    }

    /** The rows of the warm-up round: each server once for each kind of work. */
    List<Row> settling() {
        Set<List<Object>> seen = new LinkedHashSet<>();
        return measurements().stream()
                .filter(row -> !row.competitor().kind().bare())
                .filter(row -> seen.add(List.of(row.work(), row.competitor())))
                .toList();
    }

    /** The length of each measurement in the warm-up round. */
    Duration settlingEach() {
        return options.duration().compareTo(FIRST_LOOK) < 0 ? options.duration() : SETTLE;
    }

    /** The groups, in the order of tables. */
    List<Row.Group> groups() {
        return rows.stream().map(Row::group).distinct().toList();
    }

    /** The expected time of the whole run. */
    public Duration expected() {
        Duration all = START;
        for (Row row : settling()) {
            all = all.plus(of(row, settlingEach(), Duration.ZERO));
        }
        for (Row row : measurements()) {
            all = all.plus(of(row, options.duration(), options.warmUp()).multipliedBy(options.rounds()));
        }
        return all;
    }

    private static Duration of(Row row, Duration duration, Duration warmUp) {
        return AROUND_EACH.plus(
                row.work().inTurn()
                        ? ofEachTask(duration).multipliedBy(NameBench.IN_TURN.size())
                        : duration.plus(warmUp));
    }

    /** The length of each metadata task. The tasks are measured one after the other. */
    static Duration ofEachTask(Duration duration) {
        return duration.dividedBy(2);
    }

    /** The time limit of the whole run. At the limit it ends with the results that it has. */
    public Duration most() {
        return expected().multipliedBy(2).plusMinutes(2);
    }

    /** A line for people that is shown before the run. */
    public String summary() {
        return String.format(
                Locale.ROOT,
                "%d %s of %d measurements, %s s each after %s s that do not count: about %s, at most %s",
                options.rounds(),
                options.rounds() == 1 ? "round" : "rounds",
                measurements().size(),
                seconds(options.duration()),
                seconds(options.warmUp()),
                minutes(expected()),
                minutes(most()));
    }

    private static String seconds(Duration duration) {
        return duration.toMillis() % 1000 == 0
                ? Long.toString(duration.toSeconds())
                : Double.toString(duration.toMillis() / 1e3);
    }

    private static String minutes(Duration duration) {
        long seconds = duration.toSeconds();
        return seconds < 120 ? seconds + " seconds" : (seconds + 59) / 60 + " minutes";
    }
}
