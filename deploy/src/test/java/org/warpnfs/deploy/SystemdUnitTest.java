package org.warpnfs.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.server.cli.Main;

/** Checks the unit with systemd, and starts the server with its command. */
class SystemdUnitTest {
    private static final Path UNIT = Path.of("systemd", "warpnfs.service");
    private static final Path ANALYZE = Path.of("/usr/bin/systemd-analyze");

    @TempDir
    private Path directory;

    private static List<String> values(String name) throws IOException {
        return Files.readAllLines(UNIT).stream()
                .filter(line -> line.startsWith(name + "="))
                .map(line -> line.substring(name.length() + 1))
                .toList();
    }

    @Test
    void server_isStartedWithWordsThatItKnows() throws IOException {
        String[] words = Arrays.stream(values("ExecStart").getFirst().split(" ", -1))
                .skip(1)
                .filter(word -> !word.startsWith("$"))
                .toArray(String[]::new);
        assertThat(words).startsWith("serve");
        assertThatCode(() -> Main.commandLine().parseArgs(words)).doesNotThrowAnyException();
    }

    @Test
    void server_isToldByTheExample_whichThePackageBrings() throws IOException {
        assertThat(values("ExecStart").getFirst()).contains(" --config /etc/warpnfs/warpnfs.yaml ");
        assertThat(Checked.settings(Path.of("config", "warpnfs.yaml")))
                .containsEntry("state", "/var/lib/warpnfs")
                .containsEntry("exports", "[\"/etc/warpnfs/exports\"]");
        assertThat(Files.readString(Path.of("debian", "build"))).contains("/etc/warpnfs/warpnfs.yaml >");
    }

    @Test
    void server_tellsSystemdHowItGoes() throws IOException {
        assertThat(values("Type")).containsExactly("notify");
        assertThat(values("WatchdogSec")).hasSize(1);
        assertThat(values("ExecReload").getFirst()).contains("HUP");
    }

    @Test
    void unit_verified_hasNothingToComplainOf() throws Exception {
        assumeTrue(Files.isExecutable(ANALYZE), "systemd-analyze is not installed");
        // The command and its manual pages are not installed where tests run.
        String unit = Files.readString(UNIT).replace("/usr/bin/warpnfs", "/bin/true");
        Path copy = Files.writeString(directory.resolve("warpnfs.service"), unit);
        assertThat(analyzed("verify", "--man=no", "--recursive-errors=no", copy.toString()))
                .isEmpty();
    }

    @Test
    void unit_leavesLittleOpen() throws Exception {
        assumeTrue(Files.isExecutable(ANALYZE), "systemd-analyze is not installed");
        assertThat(analyzed("security", "--offline=true", "--threshold=45", "--no-pager", UNIT.toString()))
                .contains("Overall exposure level");
    }

    private static String analyzed(String... words) throws Exception {
        List<String> command = new ArrayList<>(List.of(words));
        command.addFirst(ANALYZE.toString());
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        return said;
    }
}
