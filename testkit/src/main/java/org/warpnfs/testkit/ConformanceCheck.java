package org.warpnfs.testkit;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.warpnfs.testkit.ConformanceMatrix.Row;

/**
 * Checks a {@link ConformanceMatrix}. Every ID must have one row. Every row must name tests that exist and are run, or
 * give a reason why it has none. The reason is either one of a few kinds of why nothing is required, or that the
 * requirement is not implemented. In the second case the row is open. The heading states how many rows there are of
 * each, so that a row cannot change its status unseen.
 */
public final class ConformanceCheck {
    private static final Set<String> LEVELS = Set.of("MUST", "SHOULD", "MAY", "wire-layout");
    private static final String IMPLIED = "†";

    /**
     * Kinds of reasons why a row requires nothing that could be built and tested here. docs/conformance/README.md
     * defines each.
     */
    private static final String PERMISSION = "a permission";

    private static final String DECIDED = "decided";
    static final Set<String> KINDS = Set.of(
            PERMISSION,
            DECIDED,
            "another's duty",
            "held by types",
            "no such case",
            "nothing demanded",
            "the other role");

    private static final Pattern REASON = Pattern.compile("([^:]*):(.*)");

    /** A shorter reason explains nothing. */
    private static final int MIN_REASON_CHARACTERS = 15;

    private static final int MIN_REQUIREMENT_CHARACTERS = 8;

    private final ConformanceMatrix matrix;
    private final ClassLoader classes;
    private final List<String> findings = new ArrayList<>();

    private ConformanceCheck(ConformanceMatrix matrix, ClassLoader classes) {
        this.matrix = matrix;
        this.classes = classes;
    }

    /** Returns the faults of a matrix, empty if there are none. The class loader must find the matrix's tests. */
    public static List<String> findings(ConformanceMatrix matrix, ClassLoader classes) {
        ConformanceCheck check = new ConformanceCheck(matrix, classes);
        check.run();
        return check.findings;
    }

    private void run() {
        findings.addAll(matrix.malformed());
        checkIds();
        matrix.rows().forEach(this::checkRow);
        if (!matrix.counts().equals(matrix.statedCounts())) {
            findings.add("the rows are " + matrix.counts() + ", and the heading says: " + matrix.statedCounts());
        }
    }

    private void checkIds() {
        Set<String> seen = new HashSet<>();
        for (Row row : matrix.rows()) {
            if (!seen.add(row.id())) {
                findings.add(row.id() + ": a second row");
            }
        }
        Set<String> missing = new TreeSet<>(matrix.expectedIds());
        missing.removeAll(seen);
        missing.forEach(id -> findings.add(id + ": no row"));
        Set<String> unexpected = new TreeSet<>(seen);
        matrix.expectedIds().forEach(unexpected::remove);
        unexpected.forEach(id -> findings.add(id + ": not among the IDs of the heading"));
    }

    private void checkRow(Row row) {
        if (row.section().isEmpty()) {
            findings.add(row.id() + ": no section");
        }
        if (row.freedom()) {
            if (row.level().isEmpty()) {
                findings.add(row.id() + ": no topic");
            }
            if (row.text().length() < MIN_REASON_CHARACTERS) {
                findings.add(row.id() + ": no decision");
            }
        } else {
            if (!LEVELS.contains(row.level().replace(IMPLIED, ""))) {
                findings.add(row.id() + ": no level: " + row.level());
            }
            if (row.text().length() < MIN_REQUIREMENT_CHARACTERS) {
                findings.add(row.id() + ": no requirement");
            }
        }
        checkProof(row);
    }

    private void checkProof(Row row) {
        switch (row.status()) {
            case OPEN -> requireReason(row, "open:", row.reason());
            case NOT_APPLICABLE -> checkNotApplicable(row, row.reason());
            case PROVEN -> checkTests(row, row.proof());
        }
    }

    private void checkTests(Row row, String proof) {
        Matcher tests = NamedTests.NAME.matcher(proof);
        String className = "";
        boolean any = false;
        while (tests.find()) {
            any = true;
            className = tests.group(1).isEmpty() ? className : tests.group(1);
            checkTest(row, className, tests.group(2));
        }
        if (!any || !tests.reset().replaceAll("").matches("[,\\s]*")) {
            findings.add(row.id() + ": neither tests nor a reason: " + proof);
        }
    }

    private void checkNotApplicable(Row row, String proof) {
        Matcher reason = REASON.matcher(proof);
        if (!reason.matches() || !KINDS.contains(reason.group(1))) {
            findings.add(row.id() + ": n/a: of none of these kinds: " + new TreeSet<>(KINDS));
            return;
        }
        String kind = reason.group(1);
        requireReason(row, kind, reason.group(2));
        if (kind.equals(PERMISSION) && !row.level().replace(IMPLIED, "").equals("MAY")) {
            findings.add(row.id() + ": " + row.level() + " is no permission");
        }
        if (kind.equals(DECIDED) && !row.freedom()) {
            findings.add(row.id() + ": decided, although the RFC leaves nothing to decide");
        }
    }

    private void requireReason(Row row, String word, String reason) {
        if (reason.strip().length() < MIN_REASON_CHARACTERS) {
            findings.add(row.id() + ": " + word + " without a reason");
        }
    }

    private void checkTest(Row row, String className, String methodName) {
        String finding = NamedTests.finding(matrix.testPackage(), className, methodName, classes);
        if (finding != null) {
            findings.add(row.id() + ": " + finding);
        }
    }
}
