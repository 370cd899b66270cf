package org.warpnfs.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.warpnfs.server.WarpServer;
import org.warpnfs.server.config.Backend;
import org.warpnfs.server.config.ExportSpec;
import org.warpnfs.server.config.IdentityChoices;
import org.warpnfs.server.config.RdmaChoices;
import org.warpnfs.server.config.ServerConfig;
import picocli.CommandLine;

/** The load generator with our own server on loopback, from the command line to the output. */
@Timeout(120)
class BenchCommandTest {
    @TempDir
    private Path temporary;

    private Path files;
    private WarpServer server;
    private final StringWriter out = new StringWriter();
    private StringWriter err = new StringWriter();

    @BeforeEach
    void serve() throws Exception {
        files = Files.createDirectories(temporary.resolve("files"));
        start("rw,no_root_squash");
    }

    private void start(String exportOptions) throws Exception {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        server = WarpServer.start(new ServerConfig(
                List.of(ExportSpec.parse(files + ":/," + exportOptions)),
                Backend.LOCAL,
                16 << 20,
                any,
                any,
                temporary.resolve("state"),
                RdmaChoices.DEFAULT,
                Duration.ofSeconds(2),
                4,
                16 << 20,
                Duration.ofSeconds(5),
                IdentityChoices.DEFAULT));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private int run(String... arguments) {
        CommandLine command = Main.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        List<String> all = new ArrayList<>(List.of("bench", "--target", "127.0.0.1"));
        all.addAll(List.of(arguments));
        return command.execute(all.toArray(String[]::new));
    }

    private int bench(String protocol, String version, String operation, String... more) {
        int port = protocol.equals("rdma")
                ? server.rdmaAddress().getPort()
                : server.tcpAddress().getPort();
        List<String> arguments = new ArrayList<>(List.of("--proto", protocol, "--vers", version, "--op", operation));
        arguments.addAll(List.of(
                "--port", "" + port, "--mount-port", "" + server.tcpAddress().getPort()));
        arguments.addAll(List.of(more));
        return run(arguments.toArray(String[]::new));
    }

    static Stream<List<String>> everyWay() {
        return Stream.of("rdma", "tcp")
                .flatMap(protocol -> Stream.of("3", "4.1").map(version -> List.of(protocol, version)));
    }

    @ParameterizedTest
    @MethodSource("everyWay")
    void crowd_isServedAndVerified_andLeavesNothing(List<String> how) throws Exception {
        int port = how.get(0).equals("rdma")
                ? server.rdmaAddress().getPort()
                : server.tcpAddress().getPort();
        List<String> arguments = new ArrayList<>(List.of("crowd", "--target", "127.0.0.1,127.0.0.1"));
        arguments.addAll(List.of("--proto", how.get(0), "--vers", how.get(1), "--port", "" + port));
        arguments.addAll(List.of("--mount-port", "" + server.tcpAddress().getPort()));
        arguments.addAll(List.of("--connections", "12", "--opening", "3", "--seconds", "1", "--size", "4k"));
        int status = Main.commandLine()
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments.toArray(String[]::new));
        assertThat(out.toString()).contains("connections 12 of 12 served", " reads verified, ", "no error");
        assertThat(status).isZero();
        try (Stream<Path> left = Files.list(files)) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void crowd_thatIsRefused_saysWhatTheFirstWasTold() {
        int port = server.tcpAddress().getPort();
        server.close();
        int status = Main.commandLine()
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(
                        "crowd",
                        "--target",
                        "127.0.0.1",
                        "--proto",
                        "tcp",
                        "--port",
                        "" + port,
                        "--connections",
                        "2",
                        "--seconds",
                        "1");
        assertThat(status).isEqualTo(Main.FAILURE);
        assertThat(out.toString()).contains("connections 0 of 2 served", "2 errors", "the first: connection ");
    }

    static Stream<List<String>> everyCombination() {
        return Stream.of("rdma", "tcp").flatMap(protocol -> Stream.of("3", "4.1")
                .flatMap(version -> Stream.of("read", "write", "randread", "randwrite")
                        .map(operation -> List.of(protocol, version, operation))));
    }

    @ParameterizedTest
    @MethodSource("everyCombination")
    void operations_verified_areCleanAndLeaveNothing(List<String> how) throws Exception {
        boolean random = how.get(2).startsWith("rand");
        int status = bench(
                how.get(0),
                how.get(1),
                how.get(2),
                "--verify",
                "--size",
                random ? "4k" : "1m",
                "--file-size",
                random ? "1m" : "6m",
                "--depth",
                "5",
                "--connections",
                "2",
                "--count",
                random ? "300" : "20",
                "--json");
        assertThat(err.toString()).doesNotContain("warpnfs:");
        assertThat(status).isZero();
        assertThat(out.toString())
                .contains("\"operations\":" + (random ? 300 : 20), "\"errors\":0", "\"mismatches\":0")
                .contains("\"proto\":\"" + how.get(0) + "\"", "\"vers\":\"" + how.get(1) + "\"");
        try (Stream<Path> left = Files.list(files)) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void stableWritesOfOddSize_overACrc_areVerified() {
        assertThat(bench(
                        "rdma", "3", "write", "--verify", "--stable", "--crc", "on", "--size", "70001", "--count", "9"))
                .isZero();
        assertThat(out.toString()).contains("what is read is what was written", "9 operations");
    }

    @Test
    void timedRun_besideLoopbackAndServerCpu_printsAllFigures() {
        long pid = ProcessHandle.current().pid();
        assertThat(bench(
                        "tcp",
                        "4.1",
                        "read",
                        "--seconds",
                        "1",
                        "--warmup",
                        "0",
                        "--size",
                        "64k",
                        "--file-size",
                        "1m",
                        "--loopback",
                        "--server-pid",
                        "" + pid))
                .isZero();
        assertThat(out.toString()).contains("throughput", "latency", "server CPU", "us/operation", "loopback", "of it");
        assertThat(out.toString()).contains("errors      0");
    }

    @Test
    void serverProcess_goneBeforeTheEnd_leavesTheOtherFigures() throws Exception {
        Process process = new ProcessBuilder("sleep", "1000").start();
        // By the first line of progress the CPU time has been read once.
        err = new StringWriter() {
            @Override
            public void write(String text, int offset, int length) {
                super.write(text, offset, length);
                if (text.contains("operations/s")) {
                    process.destroyForcibly();
                    assertThat(process.onExit()).succeedsWithin(Duration.ofSeconds(60));
                }
            }
        };
        int status = bench(
                "tcp",
                "3",
                "read",
                "--seconds",
                "2",
                "--warmup",
                "0",
                "--size",
                "64k",
                "--file-size",
                "1m",
                "--server-pid",
                "" + process.pid());
        assertThat(err.toString()).contains("--server-pid " + process.pid() + ": no such process");
        assertThat(status).isZero();
        assertThat(out.toString()).contains("throughput", "errors      0").doesNotContain("server CPU");
    }

    @Test
    void blocksTooManyToCount_asked_isOneLine() {
        assertThat(run("--op", "write", "--size", "1", "--file-size", "2g")).isEqualTo(Main.USAGE_ERROR);
        assertThat(err.toString()).contains("warpnfs: --file-size 2g: more than 1073741824 blocks");
    }

    @Test
    void fileData_changedBehindTheServersBack_areReportedAsMismatch() throws Exception {
        Thread spoiler = Thread.ofPlatform().start(() -> {
            while (!Thread.currentThread().isInterrupted()) {
                try (Stream<Path> all = Files.list(files)) {
                    for (Path file : all.toList()) {
                        if (Files.size(file) >= 1 << 20) {
                            Files.write(file, new byte[4096], StandardOpenOption.WRITE);
                        }
                    }
                } catch (IOException e) {
                    // The file was just removed.
                }
            }
        });
        int status = bench("rdma", "3", "read", "--verify", "--size", "1m", "--file-size", "1m", "--seconds", "1");
        spoiler.interrupt();
        spoiler.join();
        assertThat(status).isEqualTo(Main.FAILURE);
        assertThat(out.toString()).contains("MISMATCHES", "something else than was written");
    }

    @Test
    void nobodyListens_started_saysSoInOneLine() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        for (String protocol : List.of("rdma", "tcp")) {
            assertThat(run("--proto", protocol, "--port", "" + port)).isEqualTo(Main.FAILURE);
            assertThat(err.toString().lines())
                    .last()
                    .asString()
                    .startsWith("warpnfs: no answer from 127.0.0.1:" + port)
                    .contains("cannot connect");
        }
        assertThat(run("--vers", "3", "--mount-port", "" + port)).isEqualTo(Main.FAILURE);
        assertThat(err.toString().lines())
                .last()
                .asString()
                .startsWith("warpnfs: no MOUNT service at 127.0.0.1:" + port);
    }

    @Test
    void exportUnknownOrReadOnly_started_saysSo() throws Exception {
        assertThat(bench("rdma", "4.1", "write", "--export", "/nothing")).isEqualTo(Main.FAILURE);
        assertThat(err.toString()).contains("warpnfs: --export /nothing: LOOKUP", "no such file");
        assertThat(bench("tcp", "3", "write", "--export", "/nothing")).isEqualTo(Main.FAILURE);
        assertThat(err.toString()).contains("warpnfs: --export /nothing: MOUNT");
        server.close();
        start("ro,no_root_squash");
        for (String version : List.of("3", "4.1")) {
            assertThat(bench("rdma", version, "write")).isEqualTo(Main.FAILURE);
            assertThat(err.toString().lines()).last().asString().contains("read-only");
        }
    }

    @Test
    void noPermission_started_saysSo() throws Exception {
        Files.setPosixFilePermissions(files, PosixFilePermissions.fromString("rwxr-xr-x"));
        assertThat(bench("rdma", "3", "write", "--uid", "4711", "--gid", "4711"))
                .isEqualTo(Main.FAILURE);
        assertThat(err.toString().lines()).last().asString().contains("permission denied");
    }

    @ParameterizedTest
    @CsvSource({
        "--vers,4.0,2",
        "--depth,0,2",
        "--size,17m,2",
        "--size,0,2",
        "--size,x,2",
        "--file-size,2048t,2",
        "--server-pid,999999999,1",
        "--export,data,2",
        "--op,scan,2",
        "--proto,udp,2",
        "--nonsense,1,2",
        "--seconds,0,2",
        "--count,0,2"
    })
    void badOption_given_isOneLineThatNamesIt(String option, String value, int status) {
        assertThat(run(option, value)).isEqualTo(status);
        assertThat(err.toString().lines().filter(line -> line.startsWith("warpnfs: ")))
                .hasSize(1)
                .allMatch(line -> line.contains(option));
    }
}
