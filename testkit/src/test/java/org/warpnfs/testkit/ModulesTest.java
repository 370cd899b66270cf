package org.warpnfs.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The build files of the modules. */
class ModulesTest {
    private static final String WHERE_TESTS_ARE_BUILT = "<name>!maven.test.skip</name>";
    private static final String BORROWED = "<type>test-jar</type>";

    /** {@code ./warpnfs} builds without tests, so a fresh tree has no test classes that could be borrowed. */
    @Test
    void testClassesOfOtherModules_areBorrowedOnlyWhereTestsAreBuilt() throws IOException {
        List<Path> borrowers = new ArrayList<>();
        List<Path> always = new ArrayList<>();
        try (Stream<Path> top = Files.list(Repository.top())) {
            for (Path pom : top.map(directory -> directory.resolve("pom.xml"))
                    .filter(Files::exists)
                    .toList()) {
                String text = Files.readString(pom);
                int first = text.indexOf(BORROWED);
                if (first >= 0) {
                    borrowers.add(pom);
                    if (!text.substring(0, first).contains(WHERE_TESTS_ARE_BUILT)) {
                        always.add(pom);
                    }
                }
            }
        }
        assertThat(borrowers).isNotEmpty();
        assertThat(always).isEmpty();
    }
}
