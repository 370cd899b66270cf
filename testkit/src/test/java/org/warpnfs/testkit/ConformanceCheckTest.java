package org.warpnfs.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The check must find and name each fault of broken matrices. */
class ConformanceCheckTest {
    private static final String GOOD = """
            # A matrix

            IDs: X-01..05, X-F1..1
            Tests: org.warpnfs.testkit
            Rows: 2 proven, 3 n/a, 1 open

            Prose that means nothing.

            | ID | RFC § | Level | Requirement | Proof |
            |---|---|---|---|---|
            | X-01 | 1.1 | MUST† | it is what it says it is | `ConformanceCheckTest#good_matrix_hasNoFindings`, `#brokenInOnePlace_matrix_isFound` |
            | X-02 | 1.2, 2 | SHOULD | it is what it says it is | `ConformanceCheckTest$Derived#inherited_contract_isATest`, `StreamCutterTest#cut_sameSeed_sameCuts`, `LadderTest#testkit_knowsTheJdkAndArchUnitAlone` |
            | X-03 | 3 | wire-layout | it is what it says it is | open: nobody has done it yet |
            | X-04 | 4 | MAY† | it is what it says it is | n/a: a permission: nobody here makes use of it |
            | X-05 | 5 | MUST | it is what it says it is | n/a: another's duty: the kernel's, which sends every packet |

            | ID | RFC § | Topic | Decision | Proof |
            |---|---|---|---|---|
            | X-F1 | 9 | colour | blue, because it is free | n/a: decided: a matter of documentation |
            """;

    /** A contract test like that of the backends. */
    interface Contract {
        @RepeatedTest(1)
        default void inherited_contract_isATest() {
            assertThat(this).isInstanceOf(Contract.class);
        }
    }

    static class Derived implements Contract {}

    private static List<String> findings(String text) {
        return ConformanceCheck.findings(
                ConformanceMatrix.parse("rfc1.md", text), ConformanceCheckTest.class.getClassLoader());
    }

    void not_annotated_isNoTest() {}

    @Test
    void good_matrix_hasNoFindings() {
        assertThat(findings(GOOD)).isEmpty();
        ConformanceMatrix matrix = ConformanceMatrix.parse("rfc1.md", GOOD);
        assertThat(matrix.expectedIds()).containsExactly("X-01", "X-02", "X-03", "X-04", "X-05", "X-F1");
        assertThat(matrix.rows()).hasSize(6);
        assertThat(matrix.rows().getLast().freedom()).isTrue();
    }

    /** The page that explains the matrices must list the kinds that the check knows. */
    @Test
    void readme_ofTheMatrices_namesEachOfThemAndEachKindOfReason() throws IOException {
        String readme = Files.readString(ConformanceMatrix.directory().resolve("README.md"));
        List<String> kinds = Pattern.compile("(?m)^\\| `([a-z' ]+)` \\|")
                .matcher(readme)
                .results()
                .map(row -> row.group(1))
                .toList();
        assertThat(kinds).containsExactlyInAnyOrderElementsOf(ConformanceCheck.KINDS);
        List<ConformanceMatrix> matrices = ConformanceMatrix.ofTestsIn("org.warpnfs");
        assertThat(matrices).hasSizeGreaterThanOrEqualTo(4).allSatisfy(matrix -> assertThat(readme)
                .contains("| [" + matrix.name() + "](" + matrix.name() + ") |"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "#good_matrix_hasNoFindings; #gone; X-01: ConformanceCheckTest has no method gone",
                "#good_matrix_hasNoFindings; #not_annotated_isNoTest; X-01: "
                        + "ConformanceCheckTest#not_annotated_isNoTest is no test",
                "StreamCutterTest#; Stream2CutterTest#; X-02: no class Stream2CutterTest",
                "testkit_knowsTheJdkAndArchUnitAlone; CONSTANTS; X-02: LadderTest has no method CONSTANTS",
                "LadderTest#testkit_knowsTheJdkAndArchUnitAlone; ConformanceCheckTest#GOOD; "
                        + "X-02: ConformanceCheckTest#GOOD is no test",
                "StreamCutterTest#; StreamCutterTest; X-02: neither tests nor a reason",
                "open: nobody has done it yet; ''; X-03: neither tests nor a reason",
                "open: nobody has done it yet; trust me, it is tested; X-03: neither tests nor a reason",
                "open: nobody has done it yet; open: later; X-03: open: without a reason",
                "open: nobody has done it yet; open:; X-03: open: without a reason",
                "open: nobody has done it yet; n/a:; X-03: n/a: of none of these kinds: [a permission, "
                        + "another's duty, ",
                "open: nobody has done it yet; n/a: nobody has done it yet; X-03: n/a: of none of these kinds",
                "open: nobody has done it yet; n/a: nobody: it is much work; X-03: n/a: of none of these kinds",
                "n/a: another's duty; n/a: Another's duty; X-05: n/a: of none of these kinds",
                "n/a: another's duty; n/a:; X-05: n/a: of none of these kinds",
                "n/a: another's duty: the kernel's, which sends every packet; n/a: another's duty; X-05: n/a: of "
                        + "none of these kinds",
                "the kernel's, which sends every packet; IKE; X-05: another's duty without a reason",
                "the kernel's, which sends every packet; ''; X-05: another's duty without a reason",
                "n/a: another's duty; n/a: a permission; X-05: MUST is no permission",
                "MAY†; SHOULD†; X-04: SHOULD† is no permission",
                "n/a: another's duty; n/a: decided; X-05: decided, although the RFC leaves nothing to decide",
                "n/a: decided: a matter of documentation; open: also not done yet; "
                        + "the rows are 2 proven, 2 n/a, 2 open, and the heading says: 2 proven, 3 n/a, 1 open",
                "open: nobody has done it yet; n/a: nothing demanded: nobody has done it yet; "
                        + "the rows are 2 proven, 4 n/a, 0 open, and the heading says: 2 proven, 3 n/a, 1 open",
                "Rows: 2; Rows: 3; the rows are 2 proven, 3 n/a, 1 open, and the heading says: 3 proven, 3 n/a, 1 open",
                "3 n/a; 2 n/a; the rows are 2 proven, 3 n/a, 1 open, and the heading says: 2 proven, 2 n/a, 1 open",
                "1 open; many open; the rows are 2 proven, 3 n/a, 1 open, and the heading says",
                "Rows:; Lines:; no line \"Rows:\" in the heading",
                "| X-02 |; | X-01 |; X-01: a second row",
                "| X-02 |; | X-01 |; X-02: no row",
                "X-01..05; X-01..04; X-05: not among the IDs of the heading",
                "X-01..05; X-01..06; X-06: no row",
                "X-01..05; all; not a range of IDs: all",
                "blue, because it is free; ''; X-F1: no decision",
                "colour; ''; X-F1: no topic",
                "MUST†; OUGHT; X-01: no level: OUGHT",
                "| 3 | wire-layout | it is what it says it is |; | 3 | wire-layout | |; X-03: no requirement",
                "| 1.2, 2 |; | |; X-02: no section",
                "| 9 | colour |; | 9 colour |; not 5 columns: | X-F1 |"
            })
    void brokenInOnePlace_matrix_isFound(String good, String broken, String finding) {
        assertThat(GOOD).contains(good);
        assertThat(findings(GOOD.replace(good, broken)))
                .anySatisfy(found -> assertThat(found).startsWith(finding));
    }
}
