package org.warpnfs.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class NamedTestsTest {
    private static List<String> findings(String text) {
        return NamedTests.findings(text, "org.warpnfs", "testkit", NamedTestsTest.class.getClassLoader());
    }

    @Test
    void names_ofTests_areFine_alsoWhereTheClassWasNamedBefore() {
        assertThat(findings("| threat | `testkit.NamedTestsTest#names_ofOthers_areNotLookedAt`, "
                        + "`#names_ofTests_areFine_alsoWhereTheClassWasNamedBefore` |"))
                .isEmpty();
    }

    @Test
    void names_ofNoTests_areFound() {
        assertThat(findings("`testkit.Gone#x`, `testkit.NamedTestsTest#gone`, `#findings`"))
                .containsExactly(
                        "no class testkit.Gone",
                        "testkit.NamedTestsTest has no method gone",
                        "testkit.NamedTestsTest#findings is no test");
    }

    @Test
    void names_ofOthers_areNotLookedAt() {
        assertThat(findings("`nfs.Gone#x`")).containsExactly("no test of testkit is named");
    }

    @Test
    void read_fileOfTheRepository_isFoundFromAnyModule() {
        assertThat(NamedTests.read("README.md")).startsWith("# warpnfs");
    }
}
