package org.warpnfs.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How scripts/java.sh, which {@code ./verify} and {@code ./warpnfs} use, learns the release of a JDK. */
@Timeout(60)
class JdkScriptTest {
    @TempDir
    private Path jdk;

    /** With JAVA_TOOL_OPTIONS a JDK first says which options it took. */
    @ParameterizedTest
    @CsvSource({
        "'javac 25.0.1', 25",
        "'javac 26-ea', 26",
        "'javac 25', 25",
        "'Picked up JAVA_TOOL_OPTIONS: -Xmx17g\njavac 25.0.1', 25",
        "'javac 1.8.0_402', 1",
        "'no such file', ''",
    })
    void release_withoutAFileOfTheJdk_isWhatJavacSays(String said, String release) throws Exception {
        javac("cat <<'END'\n" + said + "\nEND\n");

        assertThat(printed()).isEqualTo(release);
    }

    @ParameterizedTest
    @CsvSource({"25.0.3, 25", "26-ea, 26", "25, 25", "1.8.0_402, 1"})
    void release_ofTheJdksFile_isReadWithoutStartingJavac(String version, String release) throws Exception {
        javac("echo started\n");
        Files.writeString(jdk.resolve("release"), "IMPLEMENTOR=\"a 17\"\nJAVA_VERSION=\"%s\"\n".formatted(version));

        assertThat(printed()).isEqualTo(release);
    }

    private void javac(String does) throws IOException {
        Path javac = Files.createDirectories(jdk.resolve("bin")).resolve("javac");
        Files.writeString(javac, "#!/bin/sh\n" + does);
        Files.setPosixFilePermissions(javac, PosixFilePermissions.fromString("rwx------"));
    }

    private String printed() throws IOException, InterruptedException {
        Process shell = new ProcessBuilder(
                        "bash", "-c", "set -euo pipefail; . scripts/java.sh; jdk_release \"$0\"", jdk.toString())
                .directory(Repository.top().toFile())
                .redirectErrorStream(true)
                .start();
        String printed = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(shell.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(shell.exitValue()).as(printed).isZero();
        return printed.strip();
    }
}
