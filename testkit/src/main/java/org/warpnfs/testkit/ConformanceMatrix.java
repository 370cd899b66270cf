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
 * @param openRows number of rows with {@code open:} that the heading states
 * @param expectedIds all IDs that must have a row, from the ranges in the heading
 * @param rows rows in the order of the file
 * @param malformed lines that are neither a heading nor prose nor a row
 */
public record ConformanceMatrix(
        String name,
        String testPackage,
        int openRows,
        List<String> expectedIds,
        List<Row> rows,
        List<String> malformed) {
    private static final Path DIRECTORY = Path.of("docs", "conformance");
    private static final Pattern SETTING = Pattern.compile("(IDs|Tests|Open): (.*)");
    private static final Pattern RANGE = Pattern.compile("([A-Z0-9]+-F?)(\\d+)\\.\\.(\\d+)");
    private static final Pattern CELL_BORDER = Pattern.compile("\\s*\\|\\s*");
    private static final int COLUMNS = 5;

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
    }

    public ConformanceMatrix {
        expectedIds = List.copyOf(expectedIds);
        rows = List.copyOf(rows);
        malformed = List.copyOf(malformed);
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
        for (String needed : List.of("IDs", "Tests", "Open")) {
            if (!settings.containsKey(needed)) {
                malformed.add("no line \"" + needed + ":\" in the heading");
            }
        }
        String open = settings.getOrDefault("Open", "0");
        if (!open.matches("\\d{1,4}")) {
            malformed.add("not a number of open rows: " + open);
            open = "0";
        }
        return new ConformanceMatrix(
                name,
                settings.getOrDefault("Tests", ""),
                Integer.parseInt(open),
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
