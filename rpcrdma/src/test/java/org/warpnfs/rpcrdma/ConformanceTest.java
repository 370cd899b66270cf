package org.warpnfs.rpcrdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.warpnfs.testkit.ConformanceCheck;
import org.warpnfs.testkit.ConformanceMatrix;

/** Checks that the tests of this module that the matrices in docs/conformance name exist. */
class ConformanceTest {
    static List<ConformanceMatrix> matrices() {
        return ConformanceMatrix.ofTestsIn("org.warpnfs.rpcrdma");
    }

    @ParameterizedTest
    @MethodSource("matrices")
    void matrix_everyRow_namesItsTestsOrSaysWhyNot(ConformanceMatrix matrix) {
        assertThat(ConformanceCheck.findings(matrix, getClass().getClassLoader()))
                .as(matrix.name())
                .isEmpty();
    }

    @Test
    void matrices_ofThisModule_areThere() {
        assertThat(matrices()).extracting(ConformanceMatrix::name).contains("rfc5666.md");
    }
}
