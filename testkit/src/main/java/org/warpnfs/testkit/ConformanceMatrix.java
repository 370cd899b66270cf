package org.warpnfs.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A table of requirements with the proof of each. docs/conformance/README.md describes the format.
 *
 * @param name name of the file
 * @param testPackage package of its tests, or a parent of it
 * @param statedCounts how many rows have each status, as the heading states it
 * @param expectedIds all IDs that must have a row, from the ranges in the heading
 * @param rows rows in the order of the file
 * @param malformed lines that are neither a heading nor prose nor a row
 */
public record ConformanceMatrix(
        String name,
        String testPackage,
        String statedCounts,
        List<String> expectedIds,
        List<Row> rows,
        List<String> malformed) {
    private static final Path DIRECTORY = Path.of("docs", "conformance");
    private static final Pattern SETTING = Pattern.compile("(IDs|Tests|Rows): (.*)");
    private static final Pattern RANGE = Pattern.compile("([A-Z0-9]+-F?)(\\d+)\\.\\.(\\d+)");
    private static final Pattern CELL_BORDER = Pattern.compile("\\s*\\|\\s*");
    private static final int COLUMNS = 5;

    /** What a row says of its requirement. The first word of its proof tells it. */
    public enum Status {
        PROVEN(""),
        NOT_APPLICABLE("n/a:"),
        OPEN("open:");

        private final String mark;

        Status(String mark) {
            this.mark = mark;
        }
    }

    /**
     * One row. In a freedom row, {@code level} is the topic and {@code text} is the decision.
     *
     * @param section section of the RFC
     * @param proof tests, or {@code n/a: kind: reason}, or {@code open: what is missing}
     */
    public record Row(String id, String section, String level, String text, String proof) {
        private static final Pattern FREEDOM = Pattern.compile(".*-F\\d+");

        /** Whether the RFC leaves this to implementations. */
        public boolean freedom() {
            return FREEDOM.matcher(id).matches();
        }

        /** Whether the row names tests, is not applicable, or is open. */
        public Status status() {
            return Stream.of(Status.NOT_APPLICABLE, Status.OPEN)
                    .filter(status -> proof.startsWith(status.mark))
                    .findFirst()
                    .orElse(Status.PROVEN);
        }

        /** The proof without the mark of its status. */
        String reason() {
            return proof.substring(status().mark.length()).strip();
        }
    }

    public ConformanceMatrix {
        expectedIds = List.copyOf(expectedIds);
        rows = List.copyOf(rows);
        malformed = List.copyOf(malformed);
    }

    /** Returns how many rows have each status, in the words of the heading. */
    String counts() {
        return count(Status.PROVEN) + " proven, " + count(Status.NOT_APPLICABLE) + " n/a, " + count(Status.OPEN)
                + " open";
    }

    private long count(Status status) {
        return rows.stream().filter(row -> row.status() == status).count();
    }

    /** Returns only the name, because it represents the matrix in the names of tests. */
    @Override
    public String toString() {
        return name;
    }

    /**
     * Returns the matrices whose tests are in that package or below. They come from the repository that contains the
     * working directory.
     */
    public static List<ConformanceMatrix> ofTestsIn(String packageName) {
        return loadAll(directory()).stream()
                .filter(matrix -> (matrix.testPackage() + ".").startsWith(packageName + "."))
                .toList();
    }

    /** The directory of the matrices. */
    static Path directory() {
        return Repository.top().resolve(DIRECTORY);
    }

    private static List<ConformanceMatrix> loadAll(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            List<ConformanceMatrix> matrices = new ArrayList<>();
            for (Path file : files.sorted().toList()) {
                String name = String.valueOf(file.getFileName());
                if (name.matches("rfc\\d+\\.md")) {
                    matrices.add(parse(name, Files.readString(file)));
                }
            }
            return matrices;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Parses the text of a matrix. Lines that it cannot parse are recorded as malformed. */
    public static ConformanceMatrix parse(String name, String text) {
        Map<String, String> settings = new TreeMap<>();
        List<Row> rows = new ArrayList<>();
        List<String> malformed = new ArrayList<>();
        for (String line : text.lines().toList()) {
            Matcher setting = SETTING.matcher(line);
            if (setting.matches()) {
                settings.put(setting.group(1), setting.group(2).strip());
            } else if (line.startsWith("|") && !line.startsWith("|---") && !line.startsWith("| ID |")) {
                List<String> cells = cells(line);
                if (cells.size() == COLUMNS) {
                    rows.add(new Row(cells.get(0), cells.get(1), cells.get(2), cells.get(3), cells.get(4)));
                } else {
                    malformed.add("not " + COLUMNS + " columns: " + line);
                }
            }
        }
        for (String needed : List.of("IDs", "Tests", "Rows")) {
            if (!settings.containsKey(needed)) {
                malformed.add("no line \"" + needed + ":\" in the heading");
            }
        }
        return new ConformanceMatrix(
                name,
                settings.getOrDefault("Tests", ""),
                settings.getOrDefault("Rows", ""),
                expandAll(settings.getOrDefault("IDs", ""), malformed),
                rows,
                malformed);
    }

    private static List<String> cells(String line) {
        String inner = line.strip().substring(1);
        inner = inner.endsWith("|") ? inner.substring(0, inner.length() - 1) : inner;
        return List.of(CELL_BORDER.split(inner.strip(), -1));
    }

    private static List<String> expandAll(String ranges, List<String> malformed) {
        List<String> ids = new ArrayList<>();
        for (String range : ranges.split(",\\s*", -1)) {
            Matcher matcher = RANGE.matcher(range);
            if (!matcher.matches()) {
                malformed.add("not a range of IDs: " + range);
                continue;
            }
            String digits = matcher.group(2);
            for (int i = Integer.parseInt(digits); i <= Integer.parseInt(matcher.group(3)); i++) {
                ids.add(matcher.group(1) + String.format(Locale.ROOT, "%0" + digits.length() + "d", i));
            }
        }
        return ids;
    }
}
