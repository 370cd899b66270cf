package org.warpnfs.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code bench scale}, from the command line to the output. */
@Timeout(240)
class BenchScaleCommandTest {
    @TempDir
    private Path temporary;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        List<String> all = new ArrayList<>(List.of("bench", "scale"));
        all.addAll(List.of(arguments));
        return Main.commandLine()
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(all.toArray(String[]::new));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "--only;latency;--only latency: not one of memory, beside, several",
                "--proto;udp;--proto udp: not one of tcp, rdma",
                "--vers;4.0;--vers 4.0: not 3 or 4.1",
                "--connections;0;--connections 0: not within 1..16000",
                "--beside;0;--beside 0: not within 1..16000",
                "--several;0;--several 0: not within 1..16000",
                "--rounds;0;--rounds 0: not within 1..1000",
                "--seconds;0;--seconds 0.0: not within 0.1..3600"
            })
    void badOption_isOneLineThatSaysWhatIsKnown(String option, String value, String message) {
        assertThat(run(option, value)).isEqualTo(Main.USAGE_ERROR);
        assertThat(err.toString().lines()).singleElement().asString().startsWith("warpnfs: " + message);
    }

    @Test
    void allParts_ofFewConnections_areInTheTablesAndInTheJson() throws Exception {
        Path json = temporary.resolve("scale.json");
        assertThat(run(
                        "--proto",
                        "tcp",
                        "--connections",
                        "3",
                        "--beside",
                        "2",
                        "--several",
                        "2",
                        "--rounds",
                        "1",
                        "--seconds",
                        "0.2",
                        "--warmup",
                        "0.1",
                        "--json",
                        json.toString()))
                .as(err.toString())
                .isZero();
        assertThat(out.toString())
                .contains(
                        "Memory of the server, NFSv4.1",
                        "TCP, 3 connections",
                        "TCP, depth 1, beside 2 idle ones",
                        "TCP, depth 8, beside / alone",
                        "TCP, 2 connections");
        assertThat(Files.readString(json)).contains("\"memory\":[{", "\"beside\":[{", "\"several\":[{");
    }

    /** More than an address may have by default, so they come from two. */
    @Test
    void memory_ofConnectionsOfTwoAddresses_isMeasured() {
        assertThat(run(
                        "--proto",
                        "rdma",
                        "--vers",
                        "3",
                        "--only",
                        "memory",
                        "--connections",
                        "260",
                        "--seconds",
                        "0.2",
                        "--warmup",
                        "0.1"))
                .as(err.toString())
                .isZero();
        assertThat(out.toString()).contains("RDMA, 260 connections");
    }

    @Test
    void terminatedRun_leavesNeitherItsServerNorItsDirectory() throws Exception {
        Path said = temporary.resolve("said");
        Path own = Files.createDirectory(temporary.resolve("tmp"));
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-Djava.io.tmpdir=" + own,
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        Main.class.getName(),
                        "bench",
                        "scale",
                        "--only",
                        "several",
                        "--proto",
                        "tcp",
                        "--several",
                        "1",
                        "--seconds",
                        "3600")
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        ProcessHandle server = null;
        try {
            while (!Files.readString(said).contains("round 1")) {
                assertThat(process.isAlive()).as(Files.readString(said)).isTrue();
                Thread.sleep(50);
            }
            server = process.children().findFirst().orElseThrow();
            process.destroy();
            process.waitFor();
            assertThat(server.isAlive()).as("the server is alive").isFalse();
            try (var left = Files.list(own)) {
                assertThat(left.filter(file -> file.getFileName().toString().startsWith("warpnfs-")))
                        .isEmpty();
            }
        } finally {
            process.destroyForcibly();
            if (server != null) {
                server.destroyForcibly();
            }
        }
    }
}
