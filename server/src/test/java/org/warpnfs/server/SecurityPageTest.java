package org.warpnfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.warpnfs.testkit.NamedTests;

/** The tests of this module that docs/security.md names exist. */
class SecurityPageTest {
    @Test
    void page_everyTestOfThisModule_exists() {
        String page = NamedTests.read("docs", "security.md");
        assertThat(NamedTests.findings(page, "org.warpnfs", "server", getClass().getClassLoader()))
                .isEmpty();
    }
}
