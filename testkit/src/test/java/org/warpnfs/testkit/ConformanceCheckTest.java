package org.warpnfs.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Broken matrices: each fault is found and named. */
class ConformanceCheckTest {
    private static final String GOOD = """
            # A matrix

            IDs: X-01..03, X-F1..1
            Tests: org.warpnfs.testkit
            Open: 1

            Prose that means nothing.

            | ID | RFC § | Level | Requirement | Proof |
            |---|---|---|---|---|
            | X-01 | 1.1 | MUST† | it is what it says it is | `ConformanceCheckTest#good_matrix_hasNoFindings`, `#brokenInOnePlace_matrix_isFound` |
            | X-02 | 1.2, 2 | SHOULD | it is what it says it is | `ConformanceCheckTest$Derived#inherited_contract_isATest`, `StreamCutterTest#cut_sameSeed_sameCuts`, `LadderTest#testkit_knowsTheJdkAlone` |
            | X-03 | 3 | wire-layout | it is what it says it is | open: nobody has done it yet |

            | ID | RFC § | Topic | Decision | Proof |
            |---|---|---|---|---|
            | X-F1 | 9 | colour | blue, because it is free | n/a: a matter of documentation |
            """;

    /** A contract as backends have one. */
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
        assertThat(matrix.expectedIds()).containsExactly("X-01", "X-02", "X-03", "X-F1");
        assertThat(matrix.rows()).hasSize(4);
        assertThat(matrix.rows().getLast().freedom()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "#good_matrix_hasNoFindings; #gone; X-01: ConformanceCheckTest has no method gone",
                "#good_matrix_hasNoFindings; #not_annotated_isNoTest; X-01: ConformanceCheckTest#not_annotated_isNoTest is no test",
                "StreamCutterTest#; Stream2CutterTest#; X-02: no class Stream2CutterTest",
                "testkit_knowsTheJdkAlone; CONSTANTS; X-02: LadderTest has no method CONSTANTS",
                "LadderTest#testkit_knowsTheJdkAlone; ConformanceCheckTest#GOOD; X-02: ConformanceCheckTest#GOOD is no test",
                "StreamCutterTest#; StreamCutterTest; X-02: neither tests nor a reason",
                "open: nobody has done it yet; ''; X-03: neither tests nor a reason",
                "open: nobody has done it yet; trust me, it is tested; X-03: neither tests nor a reason",
                "open: nobody has done it yet; n/a:; X-03: n/a: without a reason",
                "n/a: a matter of documentation; open: also not done yet; 2 rows are open, at most 1 may be",
                "Open: 1; Open: 0; 1 rows are open, at most 0 may be",
                "Open: 1; Open: many; not a number of open rows: many",
                "Open: 1; Closed: 1; no line \"Open:\" in the heading",
                "| X-02 |; | X-01 |; X-01: a second row",
                "| X-02 |; | X-01 |; X-02: no row",
                "X-01..03; X-01..02; X-03: not among the IDs of the heading",
                "X-01..03; X-01..04; X-04: no row",
                "X-01..03; all; not a range of IDs: all",
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
