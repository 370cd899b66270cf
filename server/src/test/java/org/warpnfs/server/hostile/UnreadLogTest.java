package org.warpnfs.server.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.warpnfs.server.cli.Main;
import org.warpnfs.server.hostile.HonestClient.Way;

/** A server whose standard error is a full pipe that nobody reads, in a process of its own. */
@Timeout(240)
class UnreadLogTest {
    private static final int SECONDS = 60;
    private static final int ROUNDS = 12;
    /** Lets the pipe be its own reader, so that it never breaks, fills it, and starts the command after it. */
    private static final String INTO_A_FULL_PIPE =
            "mkfifo \"$0\" && exec 3<>\"$0\" && dd if=/dev/zero of=\"$0\" oflag=nonblock bs=1 2>/dev/null;"
                    + " exec \"$@\" 2>&3";

    @TempDir
    Path temporary;

    private final InetSocketAddress tcp = freePort();
    private final InetSocketAddress rdma = freePort();
    private Path pipe;
    private Process process;

    private static InetSocketAddress freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return new InetSocketAddress(InetAddress.getLoopbackAddress(), socket.getLocalPort());
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @BeforeEach
    void start() throws Exception {
        pipe = temporary.resolve("stderr");
        Path export = Files.createDirectory(temporary.resolve("files"));
        Files.setPosixFilePermissions(export, PosixFilePermissions.fromString("rwxrwxrwx"));
        List<String> command = new ArrayList<>(List.of("sh", "-c", INTO_A_FULL_PIPE, pipe.toString()));
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(
                "-XX:TieredStopAtLevel=1",
                "-Xmx512m",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow"));
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        command.addAll(List.of("-cp", classPath, Main.class.getName(), "serve"));
        command.addAll(List.of("--listen", "127.0.0.1", "--rdma-port", String.valueOf(rdma.getPort())));
        command.addAll(List.of("--tcp-port", String.valueOf(tcp.getPort())));
        command.addAll(List.of("--http", "off", "--payload-memory", "64m"));
        command.addAll(List.of("--state", temporary.resolve("state").toString()));
        command.addAll(List.of("--export", export + ":/,no_root_squash,insecure"));
        process = new ProcessBuilder(command).start();
    }

    @AfterEach
    void end() throws Exception {
        process.destroyForcibly();
        assertThat(process.waitFor(SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    private void awaitReady() throws Exception {
        BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
        CompletableFuture<Boolean> ready =
                CompletableFuture.supplyAsync(() -> output.lines().anyMatch("ready"::equals));
        assertThat(ready.get(SECONDS, TimeUnit.SECONDS)).as("the server starts").isTrue();
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void logThatNobodyReads_peersAtFault_clientsAreServedAndSigtermEndsTheServer(Way way) throws Exception {
        awaitReady();
        try (HonestClient honest = new HonestClient(tcp, rdma, way);
                Attack garbageOverTcp = new Attack(TcpAttack.GARBAGE::begin);
                Attack garbageOverRdma = new Attack(RdmaAttack.GARBAGE_FPDUS::begin)) {
            honest.round();
            Target target = Target.prepare(tcp, rdma);
            garbageOverTcp.begin(target, new Random(1));
            garbageOverRdma.begin(target, new Random(2));
            for (int round = 0; round < ROUNDS; round++) {
                honest.round();
                honest.reconnect();
            }
        }
        process.destroy();
        assertThat(process.waitFor(SECONDS, TimeUnit.SECONDS))
                .as("SIGTERM ends it")
                .isTrue();
        assertThat(process.exitValue()).isZero();
    }

    /** What waited is written when somebody reads again, and the lines before the end are there. */
    @ParameterizedTest
    @EnumSource(value = Way.class, names = "TCP")
    void logThatIsReadAgain_hasTheLinesThatWaited(Way way) throws Exception {
        awaitReady();
        try (HonestClient honest = new HonestClient(tcp, rdma, way)) {
            honest.round();
        }
        StringBuilder text = new StringBuilder();
        Thread reader = Thread.ofPlatform().daemon().start(() -> read(text));
        process.destroy();
        assertThat(process.waitFor(SECONDS, TimeUnit.SECONDS))
                .as("SIGTERM ends it")
                .isTrue();
        reader.join();
        assertThat(text.toString().replace("\0", "").lines())
                .as("a line of the start")
                .anyMatch(line -> line.contains(" INFO "));
    }

    private void read(StringBuilder into) {
        try (InputStream in = new FileInputStream(pipe.toFile())) {
            into.append(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (java.io.IOException e) {
            into.append(e);
        }
    }
}
