package org.warpnfs.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** Each mistake on the command line causes one clear line on standard error and an exit status other than 0. */
class MainTest {
    @TempDir
    private Path temporary;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        CommandLine commandLine = Main.commandLine();
        commandLine.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
        return commandLine.execute(arguments);
    }

    /**
     * Returns valid arguments of {@code serve}, with free ports and a state directory in the test's temporary
     * directory.
     */
    private String[] serve(String... more) {
        List<String> arguments = new ArrayList<>(
                List.of("serve", "--state", temporary.resolve("state").toString()));
        for (String option : List.of("--listen=127.0.0.1", "--rdma-port=0", "--tcp-port=0")) {
            String name = option.substring(0, option.indexOf('=') + 1);
            if (Arrays.stream(more).noneMatch(word -> word.startsWith(name))) {
                arguments.add(option);
            }
        }
        arguments.addAll(List.of(more));
        return arguments.toArray(String[]::new);
    }

    private void assertOneLine(String... parts) {
        assertThat(err.toString().lines())
                .hasSize(1)
                .allSatisfy(line -> assertThat(line).startsWith("warpnfs: ").contains(parts));
    }

    @ParameterizedTest
    @CsvSource({"--nonsense,--nonsense", "--backend,--backend", "--threads=x,--threads", "--crc=maybe,maybe"})
    void serve_wordThatIsNotKnown_isAUsageError(String word, String named) {
        assertThat(run("serve", word)).isEqualTo(Main.USAGE_ERROR);
        assertOneLine(named);
    }

    @Test
    void command_thatIsNotKnown_isAUsageError() {
        assertThat(run("preserve")).isEqualTo(Main.USAGE_ERROR);
        assertOneLine("there is no command 'preserve' (warpnfs --help lists the commands)");
    }

    @Test
    void number_thatIsNone_isSaidWithoutTheNameOfAType() {
        assertThat(run("serve", "--threads", "x")).isEqualTo(Main.USAGE_ERROR);
        assertOneLine("'x' is not a whole number (warpnfs serve --help lists the options)");
    }

    @ParameterizedTest
    @CsvSource({
        "--rdma-port=65536,65536",
        "--tcp-port=-1,-1",
        "--lease=0,--lease",
        "--backend=tape,--backend tape: there is no such backend",
        "--backend-option=speed=3,--backend-option",
        "--threads=0,--threads",
        "--payload-memory=lots,lots",
        "--payload-memory=1k,payload",
        "--listen=no.such.host.invalid,no.such.host.invalid",
        "'--export=/tmp,rx',rx"
    })
    void serve_valueThatMakesNoSense_namesIt(String word, String named) {
        assertThat(run(serve(word))).isEqualTo(Main.FAILURE);
        assertOneLine(named);
    }

    @Test
    void serve_directoryMissing_namesIt() {
        Path missing = temporary.resolve("missing");
        assertThat(run(serve("--export", missing.toString()))).isEqualTo(Main.FAILURE);
        assertOneLine(missing.toString());
    }

    @Test
    void serve_exportIsAFile_namesIt() throws Exception {
        Path file = Files.createFile(temporary.resolve("file"));
        assertThat(run(serve("--export", file.toString()))).isEqualTo(Main.FAILURE);
        assertOneLine(file.toString());
    }

    @Test
    void serve_oneExportInsideAnother_namesBoth() {
        assertThat(run(serve("--export", temporary + ":/a", "--export", temporary + ":/a/b")))
                .isEqualTo(Main.FAILURE);
        assertOneLine("/a", "/a/b");
    }

    @Test
    void serve_busyPort_namesIt() throws Exception {
        try (ServerSocket busy = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String port = Integer.toString(busy.getLocalPort());
            for (String option : List.of("--rdma-port", "--tcp-port")) {
                err.getBuffer().setLength(0);
                assertThat(run(serve("--export", temporary.toString(), option + "=" + port)))
                        .isEqualTo(Main.FAILURE);
                assertOneLine(option, port);
            }
        }
    }

    @Test
    void version_andHelp_succeed() {
        assertThat(run("--version")).isZero();
        assertThat(run("serve", "--help")).isZero();
        assertThat(out.toString()).contains("warpnfs").contains("--export");
        assertThat(err.toString()).isEmpty();
    }
}
