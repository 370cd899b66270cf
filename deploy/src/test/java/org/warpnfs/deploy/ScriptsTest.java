package org.warpnfs.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The scripts that the pages name print their usage with {@code --help}, and do nothing else: some take an hour, or
 * write into their own directory.
 */
class ScriptsTest {
    /** The time limit; generous, since printing the usage takes no time. */
    private static final long SECONDS = 60;

    @TempDir
    private Path directory;

    /** Returns all scripts but the lab's, whose page has its own list. */
    static List<Path> scripts() throws IOException {
        try (Stream<Path> files = Files.walk(Page.TREE.resolve("deploy"), 2)) {
            return files.filter(Files::isRegularFile)
                    .filter(Files::isExecutable)
                    .filter(file -> !file.getParent().endsWith("interop")
                            && !file.getParent().endsWith("target"))
                    .sorted()
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("scripts")
    void help_isTheUsage_andNothingIsDone(Path script) throws Exception {
        Path said = directory.resolve("said");
        Path there = Files.createDirectory(directory.resolve("there"));
        Process process = new ProcessBuilder(script.toString(), "--help")
                .directory(there.toFile())
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        try {
            process.getOutputStream().close();
            assertThat(process.waitFor(SECONDS, TimeUnit.SECONDS)).as("it ends").isTrue();
        } finally {
            process.destroyForcibly();
        }
        String usage = Files.readString(said);
        assertThat(process.exitValue()).as(usage).isZero();
        assertThat(usage).startsWith(script.getFileName().toString());
        try (Stream<Path> left = Files.list(there)) {
            assertThat(left).as("nothing is made").isEmpty();
        }
    }
}
