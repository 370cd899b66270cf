package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How the descriptors of a process are divided. */
class DescriptorBudgetTest {
    @ParameterizedTest
    @CsvSource({
        "64, 16, 40",
        "1024, 256, 640",
        "4096, 1024, 2816",
        // A quarter is still more than what files leave.
        "10000, 2500, 7244",
        // Files keep 8192.
        "14000, 5552, 8192",
        // Half.
        "20000, 10000, 9744",
        "40000, 16384, 23360",
        "1048576, 262144, 786176"
    })
    void limit_isDivided(int limit, int connections, int files) {
        DescriptorBudget budget = DescriptorBudget.of(limit);
        assertThat(budget.forConnections()).isEqualTo(connections);
        assertThat(budget.forFiles()).isEqualTo(files);
    }
}
