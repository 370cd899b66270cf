package org.warpnfs.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/**
 * The command line of {@code warpnfs iwarp}. Each mistake causes one line and an exit status, and each test prints its
 * lines and returns 0.
 */
@Timeout(60)
class IwarpCommandTest {
    private static final Pattern LISTENING = Pattern.compile("server at 127\\.0\\.0\\.1:(\\d+)");

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private static int run(StringWriter out, StringWriter err, String... arguments) {
        CommandLine commandLine = Main.commandLine();
        commandLine.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
        return commandLine.execute(arguments);
    }

    private int run(String... arguments) {
        return run(out, err, arguments);
    }

    private void assertOneLine(String part) {
        assertThat(err.toString().lines())
                .hasSize(1)
                .allSatisfy(line -> assertThat(line).startsWith("warpnfs: ").contains(part));
    }

    @ParameterizedTest
    @ValueSource(strings = {"ping", "read-bw", "write-bw", "send-lat", "send-bw"})
    void test_againstOneServerOnce_bothSucceedWithTheirLines(String test) throws Exception {
        StringWriter serverOut = new StringWriter();
        StringWriter serverErr = new StringWriter();
        List<Integer> status = new ArrayList<>();
        Thread server = new Thread(() -> status.add(
                run(serverOut, serverErr, "iwarp", test, "--server", "--once", "--listen=127.0.0.1", "--port=0")));
        server.start();
        String port = port(serverOut);
        assertThat(run("iwarp", test, "127.0.0.1", "-p", port, "-n", "7", "-s", "1000", "--crc=required", "--markers"))
                .isZero();
        server.join();
        assertThat(status).containsExactly(0);
        assertThat(err.toString() + serverErr).isEmpty();
        assertThat(out.toString())
                .contains("7 messages, 7000 bytes", "MiB/s", "messages/s", "latency us: min", "99.9%");
        assertThat(serverOut.toString()).contains("ready", "7 ").doesNotContain("failed");
    }

    /** Tests whose messages are words of eight bytes, which take no size. */
    @ParameterizedTest
    @CsvSource({"atomic-lat,", "atomic-lat,--atomic=fetch-add", "atomic-lat,-A compare-swap", "send-lat,--immediate"})
    void test_ofWords_bothSucceedWithTheirLines(String test, @Nullable String words) throws Exception {
        StringWriter serverOut = new StringWriter();
        List<Integer> status = new ArrayList<>();
        Thread server = new Thread(() ->
                status.add(run(serverOut, err, "iwarp", test, "--server", "--once", "--listen=127.0.0.1", "--port=0")));
        server.start();
        List<String> arguments = new ArrayList<>(List.of("iwarp", test, "127.0.0.1", "-p", port(serverOut), "-n", "7"));
        arguments.addAll(words == null ? List.of() : List.of(words.split(" ", -1)));
        assertThat(run(arguments.toArray(String[]::new))).isZero();
        server.join();
        assertThat(status).containsExactly(0);
        assertThat(err.toString()).isEmpty();
        assertThat(out.toString()).contains("7 messages, 56 bytes", "latency us: min", "99.9%");
        assertThat(serverOut.toString()).contains("7 messages").doesNotContain("failed");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--peer-to-peer",
                "--peer-to-peer --rtr=read",
                "--rtr=send,fpdu --peer-to-peer",
                "--fpdu=16k",
                "--fpdu=64K",
                "--mpa-revision=1"
            })
    void test_startedInAnotherWay_succeeds(String words) throws Exception {
        StringWriter serverOut = new StringWriter();
        List<Integer> status = new ArrayList<>();
        Thread server = new Thread(() -> status.add(
                run(serverOut, err, "iwarp", "ping", "--server", "--once", "--listen=127.0.0.1", "--port=0")));
        server.start();
        List<String> arguments = new ArrayList<>(List.of("iwarp", "ping", "127.0.0.1", "-p", port(serverOut)));
        arguments.addAll(List.of(words.split(" ", -1)));
        assertThat(run(arguments.toArray(String[]::new))).isZero();
        server.join();
        assertThat(status).containsExactly(0);
        assertThat(out.toString()).contains("10 messages, 640 bytes");
    }

    private static String port(StringWriter serverOut) {
        while (true) {
            Matcher matcher = LISTENING.matcher(serverOut.toString());
            if (matcher.find()) {
                return matcher.group(1);
            }
            Thread.onSpinWait();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "ping,no HOST",
        "ping --server 127.0.0.1,--server with a HOST",
        "ping 127.0.0.1 --nonsense,--nonsense",
        "ping 127.0.0.1 -n x,'x'",
        "read-bw 127.0.0.1 --crc=maybe,maybe",
        "ping 127.0.0.1 --peer-to-peer --rtr=smoke,smoke",
        "read-bw 127.0.0.1 127.0.0.2,127.0.0.2",
        "pong 127.0.0.1,pong",
        "'',which test"
    })
    void words_thatMakeNoCommand_areAUsageError(String words, String named) {
        List<String> arguments = new ArrayList<>(List.of("iwarp"));
        Arrays.stream(words.split(" ", -1)).filter(word -> !word.isEmpty()).forEach(arguments::add);
        assertThat(run(arguments.toArray(String[]::new))).isEqualTo(Main.USAGE_ERROR);
        assertOneLine(named);
    }

    @ParameterizedTest
    @CsvSource({
        "ping,-p 0,--port",
        "ping,-p 65536,--port",
        "ping,-s 31,--size",
        "read-bw,-s 0,--size",
        "read-bw,-s 2g,--size",
        "read-bw,-s much,much",
        "ping,-n -1,--count",
        "send-bw,-n 0,--count",
        "send-bw,-t 0,--seconds",
        "send-bw,-d 0,--depth",
        "send-bw,-d 4097,--depth",
        "ping,--connections 0,--connections",
        "send-bw,--connections 2,--connections",
        "ping,--timeout 0,--timeout",
        "ping,-i -1,--interval",
        "ping,--mpa-revision 3,--mpa-revision",
        "atomic-lat,-s 8,--size",
        "atomic-lat,--atomic subtract,subtract",
        "atomic-lat,--immediate,--immediate",
        "send-lat,--atomic fetch-add,--atomic",
        "send-lat,--immediate -s 8,--size",
        "write-bw,--immediate,--immediate",
        "ping,--once,--once",
        "ping,--reject no,--reject",
        "ping,--listen 127.0.0.1,--listen"
    })
    void client_valueThatMakesNoSense_namesIt(String test, String words, String named) {
        List<String> arguments = new ArrayList<>(List.of("iwarp", test, "127.0.0.1"));
        arguments.addAll(List.of(words.split(" ", -1)));
        assertThat(run(arguments.toArray(String[]::new))).isEqualTo(Main.USAGE_ERROR);
        assertOneLine(named);
    }

    @ParameterizedTest
    @CsvSource({
        "-n 5,--count",
        "--immediate,--immediate",
        "--atomic fetch-add,--atomic",
        "-t 5,--seconds",
        "--connections 2,--connections",
        "-d 2,--depth",
        "-p 65536,--port",
        "--once --reject no,--reject"
    })
    void server_valueThatMakesNoSense_namesIt(String words, String named) {
        List<String> arguments = new ArrayList<>(List.of("iwarp", "send-bw", "--server"));
        arguments.addAll(List.of(words.split(" ", -1)));
        assertThat(run(arguments.toArray(String[]::new))).isEqualTo(Main.USAGE_ERROR);
        assertOneLine(named);
    }

    /** The limit applies to the bytes that are sent: each of these characters takes three. */
    @Test
    void server_rejectionThatDoesNotFit_namesIt() {
        assertThat(run("iwarp", "ping", "--server", "--reject", "\u20ac".repeat(85)))
                .isEqualTo(Main.USAGE_ERROR);
        assertOneLine("--reject: more than 252 bytes");
    }

    @Test
    void server_addressThatIsNone_namesIt() {
        assertThat(run("iwarp", "send-bw", "--server", "--listen", "no.such.host.invalid"))
                .isEqualTo(Main.FAILURE);
        assertOneLine("no.such.host.invalid");
    }

    @Test
    void test_overIpv6_serverNamesAddressesInBrackets() throws Exception {
        assumeThat(NetworkInterface.getByInetAddress(InetAddress.ofLiteral("::1")))
                .isNotNull();
        StringWriter serverOut = new StringWriter();
        Thread server = new Thread(
                () -> run(serverOut, err, "iwarp", "ping", "--server", "--once", "--listen=::1", "--port=0"));
        server.start();
        Matcher listening;
        do {
            listening = Pattern.compile("server at \\[0:0:0:0:0:0:0:1]:(\\d+)").matcher(serverOut.toString());
        } while (!listening.find());
        assertThat(run("iwarp", "ping", "::1", "-p", listening.group(1))).isZero();
        server.join();
        assertThat(serverOut.toString()).containsPattern("\\[0:0:0:0:0:0:0:1]:\\d+: 10 pings");
    }

    /** Runs in its own virtual machine, which has less memory than the messages take. */
    @ParameterizedTest
    @ValueSource(strings = {"read-bw --server -p 0 --listen=127.0.0.1", "ping 127.0.0.1"})
    void messages_largerThanTheMemory_areRefusedInALine(String words) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                Main.class.getName(),
                "iwarp"));
        command.addAll(List.of(words.split(" ", -1)));
        command.addAll(List.of("-s", "1g"));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isEqualTo(Main.FAILURE);
        assertThat(said).contains("warpnfs: ", "no memory for messages of 1073741824 bytes");
        assertThat(said).doesNotContain("\tat ");
    }

    @Test
    void server_busyPort_namesIt() throws Exception {
        try (ServerSocket busy = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String port = Integer.toString(busy.getLocalPort());
            assertThat(run("iwarp", "ping", "--server", "--listen=127.0.0.1", "-p", port))
                    .isEqualTo(Main.FAILURE);
            assertOneLine(port);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ping", "read-bw", "write-bw", "send-lat", "send-bw", "atomic-lat"})
    void client_nobodyListens_namesTheHost(String test) throws Exception {
        String port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = Integer.toString(socket.getLocalPort());
        }
        assertThat(run("iwarp", test, "127.0.0.1", "-p", port)).isEqualTo(Main.FAILURE);
        assertOneLine(test + " 127.0.0.1: ");
        assertThat(err.toString()).contains("cannot connect");
    }

    @Test
    void client_hostThatIsNone_namesIt() {
        assertThat(run("iwarp", "ping", "no.such.host.invalid")).isEqualTo(Main.FAILURE);
        assertOneLine("no.such.host.invalid");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ping", "read-bw", "write-bw", "send-lat", "send-bw", "atomic-lat"})
    void help_ofEachTest_namesItsCounterpart(String test) {
        assertThat(run("iwarp", test, "--help")).isZero();
        assertThat(out.toString()).contains(test.equals("ping") ? "rping" : "-R", "--server", "--size");
        assertThat(err.toString()).isEmpty();
    }
}
