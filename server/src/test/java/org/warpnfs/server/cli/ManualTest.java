package org.warpnfs.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The manual pages and the shell completion that packages install, read by the tools that use them. */
class ManualTest {
    @TempDir
    private Path directory;

    private final StringWriter out = new StringWriter();

    private CommandLine commandLine() {
        return Main.commandLine().setOut(new PrintWriter(out, true));
    }

    @Test
    void manual_ofAllCommands_hasAPageForEachWithAllItsOptions() throws Exception {
        assertThat(commandLine().execute("manual", directory.toString())).isZero();
        List<String> expected = new ArrayList<>();
        for (CommandLine command : visible(commandLine())) {
            String name = command.getCommandSpec().qualifiedName("-");
            expected.add(name + ".1");
            String page = Files.readString(directory.resolve(name + ".1"));
            assertThat(page).startsWith(".TH ").contains("\n.SH NAME\n", "\n.SH DESCRIPTION\n", "\n.SH EXIT STATUS\n");
            command.getCommandSpec().options().forEach(option -> assertThat(page)
                    .as(name)
                    .contains("\\fB" + option.longestName().replace("-", "\\-") + "\\fR"));
        }
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files.map(file -> file.getFileName().toString())).containsExactlyInAnyOrderElementsOf(expected);
        }
        assertThat(expected).contains("warpnfs.1", "warpnfs-serve.1", "warpnfs-iwarp-ping.1");
    }

    /**
     * Each paragraph ends with a full stop. The list of commands shows only the first paragraph, and each paragraph of
     * an option begins on a new line.
     */
    @Test
    void help_ofEachCommand_isWholeSentences() {
        for (CommandLine command : visible(commandLine())) {
            String name = command.getCommandSpec().qualifiedName();
            assertThat(command.getCommandSpec().usageMessage().description())
                    .as(name)
                    .isNotEmpty()
                    .allSatisfy(paragraph -> assertThat(paragraph).endsWith("."));
            command.getCommandSpec().options().forEach(option -> assertThat(option.description())
                    .as(name + " " + option.longestName())
                    .singleElement()
                    .asString()
                    .endsWith("."));
        }
    }

    @Test
    void help_ofASwitch_saysWhatItTakes() {
        assertThat(commandLine().execute("serve", "--help")).isZero();
        assertThat(out.toString()).contains("--markers[=true|false]").doesNotContain("PARAM");
    }

    /** Returns all commands, at all levels, that the help does not hide. */
    private static List<CommandLine> visible(CommandLine command) {
        List<CommandLine> found = new ArrayList<>();
        if (!command.getCommandSpec().usageMessage().hidden()) {
            found.add(command);
            command.getSubcommands().values().forEach(subcommand -> found.addAll(visible(subcommand)));
        }
        return found;
    }

    @Test
    void manual_ofAnOptionWhoseValueMayBeLeftOut_hasItInBrackets() throws Exception {
        assertThat(commandLine().execute("manual", directory.toString())).isZero();
        assertThat(Files.readString(directory.resolve("warpnfs-serve.1")))
                .contains("\\fB\\-\\-markers\\fR[=\\fItrue|false\\fR]", "\\fB\\-\\-lease\\fR \\fISECONDS\\fR");
    }

    @Test
    void manual_readByGroff_hasNothingToWarnOf() throws Exception {
        assumeTrue(isThere("groff"), "groff is not installed");
        assertThat(commandLine().execute("manual", directory.toString())).isZero();
        List<String> words = new ArrayList<>(List.of("groff", "-ww", "-z", "-man", "-Tutf8"));
        try (Stream<Path> files = Files.list(directory)) {
            files.map(Path::toString).forEach(words::add);
        }
        assertThat(said(words)).isEmpty();
    }

    @Test
    void manual_whereNothingCanBeWritten_isOneLine() throws Exception {
        StringWriter err = new StringWriter();
        Path file = Files.createFile(directory.resolve("file"));
        assertThat(commandLine().setErr(new PrintWriter(err, true)).execute("manual", file.toString()))
                .isEqualTo(Main.FAILURE);
        assertThat(err.toString().lines()).singleElement().asString().contains(file.toString());
    }

    @Test
    void completion_inBash_knowsCommandsAndOptions() throws Exception {
        assumeTrue(isThere("bash"), "bash is not installed");
        assertThat(commandLine().execute("completion")).isZero();
        Path script = Files.writeString(directory.resolve("warpnfs"), out.toString());
        String ask = "source " + script + "; complete -p warpnfs; "
                + "COMP_WORDS=(warpnfs serve --rd); COMP_CWORD=2; COMP_LINE='warpnfs serve --rd'; COMP_POINT=18; "
                + "_complete_warpnfs warpnfs --rd serve; echo \"${COMPREPLY[@]}\"";
        assertThat(said(List.of("bash", "--norc", "-c", ask)))
                .contains("-F _complete_warpnfs")
                .contains("--rdma-port");
    }

    private static boolean isThere(String program) {
        return Stream.of(System.getenv("PATH").split(":", -1))
                .anyMatch(place -> Files.isExecutable(Path.of(place, program)));
    }

    private static String said(List<String> words) throws Exception {
        Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        return said;
    }
}
