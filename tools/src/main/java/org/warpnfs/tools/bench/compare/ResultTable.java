package org.warpnfs.tools.bench.compare;

import java.util.ArrayList;
import java.util.List;

/** The results as tables for people. */
public final class ResultTable {
    private static final List<Figure> BULK =
            List.of(Figure.MEGABYTES, Figure.SERVER_GIB, Figure.CLIENT_GIB, Figure.P50, Figure.P99, Figure.P999);
    private static final List<Figure> SMALL = List.of(
            Figure.OPERATIONS, Figure.SERVER_OPERATION, Figure.CLIENT_OPERATION, Figure.P50, Figure.P99, Figure.P999);

    private ResultTable() {}

    static List<Figure> figures(Work work) {
        return work.bulk() ? BULK : SMALL;
    }

    static List<String> lines(Results results) {
        List<String> lines = new ArrayList<>();
        for (Row.Group group : results.plan().groups()) {
            List<List<String>> cells = new ArrayList<>();
            List<String> head = new ArrayList<>(List.of(group.title()));
            figures(group.work()).forEach(figure -> head.add(figure.title()));
            cells.add(head);
            for (Row row : results.measured(group)) {
                List<String> line =
                        new ArrayList<>(List.of("  " + row.competitor().title()));
                figures(group.work())
                        .forEach(figure -> line.add(
                                results.spread(row, figure).map(Spread::text).orElse("")));
                cells.add(line);
            }
            lines.addAll(aligned(cells));
            lines.add("");
        }
        lines.addAll(builds(results));
        lines.addAll(goals(results));
        results.missing().forEach(what -> lines.add("not compared: " + what));
        results.failures().forEach((row, why) -> lines.add("failed: " + row.title() + ": " + why));
        return lines;
    }

    /** What this build costs and does, as parts of the other build's. */
    private static List<String> builds(Results results) {
        List<List<String>> cells = new ArrayList<>();
        cells.add(List.of("This build / the other build, within each round", "of", "median"));
        for (Row other : results.plan().rows()) {
            Row ours = other.of(other.competitor().kind().ofThisBuild());
            for (Figure figure : figures(other.work())) {
                results.ratio(ours, other, figure)
                        .filter(ratio -> other.competitor().kind().other())
                        .ifPresent(ratio -> cells.add(List.of("  " + ours.title(), figure.title(), ratio.text())));
            }
        }
        if (cells.size() == 1) {
            return List.of();
        }
        List<String> lines = new ArrayList<>(aligned(cells));
        lines.add("");
        return lines;
    }

    private static List<String> goals(Results results) {
        List<Goal.Reached> reached = Goal.reached(results);
        if (reached.isEmpty()) {
            return List.of();
        }
        List<List<String>> cells = new ArrayList<>();
        cells.add(List.of("Goals, ratios within each round", "of", "median", "goal", ""));
        for (Goal.Reached one : reached) {
            cells.add(List.of(
                    "  " + one.title(),
                    one.goal().figure().title(),
                    one.ratio().text(),
                    one.limitText(),
                    one.met() ? "met" : "missed"));
        }
        List<String> lines = new ArrayList<>(aligned(cells));
        lines.add("");
        return lines;
    }

    /** Aligns the cells. Each column is as wide as its widest cell, and lines have no trailing blanks. */
    public static List<String> aligned(List<List<String>> cells) {
        int columns = cells.stream().mapToInt(List::size).max().orElse(0);
        int[] widths = new int[columns];
        for (List<String> line : cells) {
            for (int i = 0; i < line.size(); i++) {
                widths[i] = Math.max(widths[i], line.get(i).length());
            }
        }
        List<String> lines = new ArrayList<>();
        for (List<String> line : cells) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < line.size(); i++) {
                text.append(line.get(i))
                        .append(" ".repeat(widths[i] - line.get(i).length() + 2));
            }
            lines.add(text.toString().stripTrailing());
        }
        return lines;
    }
}
