package org.warpnfs.server.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Changing the levels of loggers while the server runs. Invalid input changes nothing. */
class LevelsTest {
    private static final String PACKAGE = "org.warpnfs.levels.test";
    private static final String CLASS = PACKAGE + ".Some";

    @AfterEach
    void inheritAgain() {
        Levels.set(PACKAGE, Levels.INHERITED);
        Levels.set(CLASS, Levels.INHERITED);
    }

    @Test
    void set_package_countsForItsClasses() {
        Levels.set(PACKAGE, "DEBUG");
        assertThat(Levels.get(CLASS)).isEqualTo("debug");
        assertThat(LoggerFactory.getLogger(CLASS).isDebugEnabled()).isTrue();
        assertThat(Levels.list()).containsEntry(PACKAGE, "debug").doesNotContainKey(CLASS);

        Levels.set(CLASS, "error");
        assertThat(LoggerFactory.getLogger(CLASS).isWarnEnabled()).isFalse();
        Levels.set(CLASS, Levels.INHERITED);
        assertThat(Levels.get(CLASS)).isEqualTo("debug");
    }

    @Test
    void list_hasTheRoot() {
        assertThat(Levels.list()).containsEntry(Levels.ROOT, Levels.get(Levels.ROOT));
    }

    @Test
    void set_nonsense_isAnErrorOfOneLineAndChangesNothing() {
        String before = Levels.list().toString();
        for (String level : new String[] {"loud", "", "in fo", "5", "info\nroot: off"}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Levels.set(PACKAGE, level))
                    .withMessageStartingWith("no such level: ")
                    .satisfies(e -> assertThat(e.getMessage()).doesNotContain("\n"));
        }
        for (String logger : new String[] {"", "org..nfs", ".org", "org warpnfs", "a".repeat(201), "x\ny"}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Levels.set(logger, "info"))
                    .withMessageStartingWith("not the name of a logger: ")
                    .satisfies(e -> assertThat(e.getMessage()).doesNotContain("\n"));
        }
        assertThatIllegalArgumentException().isThrownBy(() -> Levels.set(Levels.ROOT, Levels.INHERITED));
        assertThat(Levels.list()).hasToString(before);
    }
}
