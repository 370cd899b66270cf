package org.warpnfs.server.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.internal.PlatformDependent;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.server.NfsCall;
import org.warpnfs.server.cli.Main;

/**
 * A server process with little memory and few descriptors. It prints the limits that it chose and serves, or it says
 * what it lacks.
 */
@Timeout(120)
class SmallProcessTest {
    private static final Pattern TCP = Pattern.compile("tcp     .*?:(\\d+) .*");
    private static final int MOUNT_PROCEDURE = 1;

    @TempDir
    private Path temporary;

    private Process serve(int descriptors, String... flags) throws IOException {
        return serve(Main.class, descriptors, flags);
    }

    private Process serve(Class<?> main, int descriptors, String... flags) throws IOException {
        Path export = Files.createDirectories(temporary.resolve("files"));
        List<String> command = new ArrayList<>(List.of("prlimit", "--nofile=" + descriptors + ":" + descriptors));
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("--enable-native-access=ALL-UNNAMED");
        command.add("--sun-misc-unsafe-memory-access=allow");
        command.addAll(List.of(flags));
        String path = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        command.addAll(List.of("-cp", path, main.getName(), "serve"));
        command.addAll(List.of("--listen", "127.0.0.1", "--rdma-port", "0", "--tcp-port", "0"));
        command.addAll(List.of("--state", temporary.resolve("state").toString(), "--export", export + ":/"));
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    private static List<String> linesUntilReady(BufferedReader output) throws IOException {
        List<String> lines = new ArrayList<>();
        for (String line = output.readLine(); line != null && !line.equals("ready"); line = output.readLine()) {
            lines.add(line);
        }
        return lines;
    }

    private static void end(Process process) throws InterruptedException {
        process.destroy();
        if (!process.waitFor(30, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
    }

    @Test
    void littleOfEverything_serverStarts_saysWhatItTookAndServes() throws Exception {
        Process process = serve(512, "-Xmx128m", "-XX:MaxDirectMemorySize=160m");
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
            List<String> lines = linesUntilReady(output);
            String limits = lines.stream()
                    .filter(line -> line.startsWith("limits  "))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError(String.join("\n", lines)));
            assertThat(limits)
                    .startsWith("limits  48 connections over RDMA and over TCP each; heap ")
                    .contains(
                            " of 160 MiB",
                            "descriptors 128 for connections",
                            "less than usual: payload memory ",
                            "connections of each 48 of 1024");
            Matcher tcp = lines.stream()
                    .map(TCP::matcher)
                    .filter(Matcher::matches)
                    .findFirst()
                    .orElseThrow();
            InetSocketAddress address =
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(tcp.group(1)));
            int status = NfsCall.of(1, NfsCall.MOUNT, 3, MOUNT_PROCEDURE, 0)
                    .string("/")
                    .overTcp(address)
                    .getInt();
            assertThat(status).isZero();
        } finally {
            end(process);
        }
    }

    /** A server that prints Netty's limit of direct memory when it ends. */
    static final class SaysNettysLimit {
        private SaysNettysLimit() {}

        public static void main(String[] arguments) {
            Runtime.getRuntime()
                    .addShutdownHook(
                            new Thread(() -> System.out.println("netty " + PlatformDependent.maxDirectMemory())));
            Main.main(arguments);
        }
    }

    /**
     * Of 160 MiB, payload takes 64 at most, receive buffers 16 at least, and iWARP's headers 16. Netty's limit is what
     * they leave, so that no memory is planned twice.
     */
    @Test
    void netty_isTold_whatIsLeftToIt() throws Exception {
        Process process = serve(SaysNettysLimit.class, 512, "-Xmx128m", "-XX:MaxDirectMemorySize=160m");
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
            linesUntilReady(output);
            // This leaves the output open, unlike Process.destroy.
            assertThat(process.toHandle().destroy()).isTrue();
            List<String> last =
                    output.lines().filter(line -> line.startsWith("netty ")).toList();
            assertThat(last).hasSize(1);
            assertThat(Long.parseLong(last.getFirst().substring("netty ".length())))
                    .isBetween(41L << 20, (160L - 8 - 16 - 16) << 20);
        } finally {
            end(process);
        }
    }

    @Test
    void heapBelowTheLeast_serverDoesNotStart_andNamesTheFlag() throws Exception {
        Process process = serve(512, "-Xmx40m", "-XX:MaxDirectMemorySize=160m");
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
            assertThat(linesUntilReady(output)).anySatisfy(line -> assertThat(line)
                    .startsWith("warpnfs: a Java heap of ")
                    .endsWith("raise -Xmx"));
            assertThat(process.waitFor()).isEqualTo(1);
        } finally {
            end(process);
        }
    }

    @Test
    void tooFewDescriptors_serverDoesNotStart_andNamesTheLimit() throws Exception {
        // The jars of the test class path take a hundred.
        Process process = serve(160, "-Xmx128m", "-XX:MaxDirectMemorySize=160m");
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
            assertThat(linesUntilReady(output)).anySatisfy(line -> assertThat(line)
                    .startsWith("warpnfs: the process may open only 160 descriptors")
                    .contains("raise ulimit -n"));
            assertThat(process.waitFor()).isEqualTo(1);
        } finally {
            end(process);
        }
    }
}
