package org.warpnfs.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.warpnfs.server.cli.Main;
import picocli.CommandLine;

/**
 * The commands on the pages for administrators work: commands, options and files exist, and the server accepts the
 * examples.
 */
class PagesTest {
    private static final List<String> NAMES = List.of(
            "README.md",
            "CONTRIBUTING.md",
            "docs/backend.md",
            "docs/benchmark.md",
            "docs/operate.md",
            "docs/client.md",
            "docs/configuration.md",
            "docs/kerberos-tls.md",
            "docs/limits.md",
            "docs/locks.md",
            "docs/metrics.md",
            "docs/performance.md",
            "docs/rpcbind.md",
            "docs/security.md",
            "deploy/fio/README.md",
            "deploy/interop/README.md");

    /** Placeholders, and the values that are tried instead. */
    private static final List<List<String>> PLACEHOLDERS = List.of(
            List.of("ADDR:PORT", "127.0.0.1:9049"),
            List.of("LOGGER", "root"),
            List.of("LEVEL", "debug"),
            List.of("SECONDS", "5"),
            List.of("PROTO", "rdma"),
            List.of("VERS", "4.1"),
            List.of("OP", "read"),
            List.of("PID", "1"),
            List.of("DEPTH", "8"),
            List.of("SIZE", "1m"),
            List.of("COLLECTOR", "127.0.0.1"),
            List.of("HOST", "127.0.0.1"));

    private static final Pattern OPTION = Pattern.compile("(?<![\\w-])--[a-z][a-z0-9-]*");
    private static final Pattern METRIC = Pattern.compile("\\bwarpnfs_[a-z0-9_]*[a-z0-9]");
    private static final Pattern FILE = Pattern.compile("(?:deploy|docs|scripts|server/src|\\.ci)/[\\w./-]+");

    @TempDir
    private Path directory;

    static List<Page> pages() throws IOException {
        List<Page> pages = new ArrayList<>();
        for (String name : NAMES) {
            pages.add(Page.of(name));
        }
        return pages;
    }

    /**
     * Returns the words after {@code warpnfs} or its image, with placeholders filled in; empty if it is another
     * command.
     */
    private static List<String> ours(List<String> command) {
        for (int i = 0; i < command.size(); i++) {
            String word = command.get(i);
            boolean isFirst = command.subList(0, i).stream().allMatch(before -> before.matches("[A-Z_]+=.*"));
            boolean isExecuted = i > 1 && command.get(i - 1).equals("warpnfs") && command.contains("exec");
            if ((word.matches("(\\./|/usr/bin/)?warpnfs") && (isFirst || isExecuted))
                    || word.equals("localhost/warpnfs:latest")) {
                return command.subList(i + 1, command.size()).stream()
                        .filter(argument -> !argument.equals("..."))
                        .map(PagesTest::filledIn)
                        .toList();
            }
        }
        return List.of();
    }

    private static String filledIn(String word) {
        String filled = word.replaceAll("[\\[\\]]", "");
        for (List<String> placeholder : PLACEHOLDERS) {
            filled = filled.replaceAll("\\b" + placeholder.get(0) + "\\b", placeholder.get(1));
        }
        return filled;
    }

    private static List<List<String>> ours(Page page) {
        return page.commands().stream()
                .flatMap(line -> ShellWords.commands(line).stream())
                .map(PagesTest::ours)
                .filter(words -> !words.isEmpty())
                .toList();
    }

    @ParameterizedTest
    @MethodSource("pages")
    void commands_ofOurs_areTaken(Page page) throws IOException {
        for (List<String> words : ours(page)) {
            if (words.size() == 1 && !words.getFirst().startsWith("-")) {
                // Only the name of a command, without its required options.
                assertThat(Main.commandLine().getSubcommands()).containsKey(words.getFirst());
                continue;
            }
            assertThatCode(() -> Main.commandLine().parseArgs(words.toArray(String[]::new)))
                    .as(String.join(" ", words))
                    .doesNotThrowAnyException();
            if (words.getFirst().equals("serve") && !words.contains("--help")) {
                assertThat(mistakes(words.subList(1, words.size())))
                        .as(String.join(" ", words))
                        .isEmpty();
            }
        }
    }

    /** Ensures that commands are recognized, since otherwise all pages would pass. */
    @Test
    void commands_ofTheMainPages_areFound() throws IOException {
        assertThat(ours(Page.of("README.md"))).hasSizeGreaterThan(7).contains(List.of("serve"));
        assertThat(ours(Page.of("docs/operate.md")))
                .hasSizeGreaterThan(40)
                .contains(List.of("status"), List.of("drain", "--wait", "30"), List.of("loglevel", "root", "debug"));
    }

    /**
     * Returns the mistakes that {@code warpnfs check} finds in the options of serve, except missing files and
     * directories.
     */
    private static List<String> mistakes(List<String> words) throws IOException {
        List<String> check = new ArrayList<>(List.of("check", "--json"));
        check.addAll(words);
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        Main.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(check.toArray(String[]::new));
        assertThat(out.toString()).as(err.toString()).isNotEmpty();
        List<String> mistakes = new ArrayList<>();
        StrictModel.tree(out.toString()).get("mistakes").forEach(mistake -> mistakes.add(mistake.asText()));
        mistakes.removeIf(mistake -> mistake.matches("(?s).*(there is no such (file|directory)|none is there).*"));
        return mistakes;
    }

    private static Stream<CommandLine> all(CommandLine command) {
        return Stream.concat(
                Stream.of(command), command.getSubcommands().values().stream().flatMap(PagesTest::all));
    }

    /** An option by itself in backquotes is one of warpnfs, or of the scripts in deploy/. */
    @ParameterizedTest
    @MethodSource("pages")
    void options_named_exist(Page page) throws IOException {
        Set<String> known = all(Main.commandLine())
                .flatMap(command -> command.getCommandSpec().optionsMap().keySet().stream())
                .collect(Collectors.toCollection(TreeSet::new));
        // Options of podman, Kubernetes' tools and Maven.
        known.addAll(Set.of("--userns", "--network"));
        for (Path script : scripts()) {
            OPTION.matcher(Files.readString(script)).results().forEach(option -> known.add(option.group()));
        }
        for (String span : page.spans()) {
            if (span.startsWith("--")) {
                Matcher option = OPTION.matcher(span);
                while (option.find()) {
                    assertThat(known).as(span).contains(option.group());
                }
            }
        }
    }

    private static List<Path> scripts() throws IOException {
        List<Path> scripts = new ArrayList<>();
        try (Stream<Path> files = Files.walk(Page.TREE.resolve("deploy"), 2)) {
            for (Path file : files.filter(Files::isRegularFile)
                    .filter(Files::isExecutable)
                    .toList()) {
                scripts.add(file);
            }
        }
        assertThat(scripts).isNotEmpty();
        return scripts;
    }

    /** The options that a command gives to a script of the tree occur in that script. */
    @ParameterizedTest
    @MethodSource("pages")
    void scripts_areGivenOptionsThatTheyKnow(Page page) throws IOException {
        for (String line : page.commands()) {
            for (List<String> command : ShellWords.commands(line)) {
                Path script = Page.TREE.resolve(command.getFirst());
                if (command.getFirst().startsWith("deploy/")
                        && Files.isExecutable(script)
                        && Files.isRegularFile(script)) {
                    String text = Files.readString(script);
                    command.stream()
                            .filter(word -> word.startsWith("--"))
                            .forEach(option -> assertThat(text).as(line).contains(option));
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("pages")
    void files_named_areThere(Page page) {
        for (String line : page.commands()) {
            Matcher file = FILE.matcher(line);
            while (file.find()) {
                // The results of a build do not exist before.
                if (!file.group().contains("/target/")
                        && !file.group().contains("/runs/")
                        && startsAWord(line, file.start())) {
                    assertThat(Page.TREE.resolve(file.group().replaceAll("[./]+$", "")))
                            .as(line)
                            .exists();
                }
            }
        }
    }

    private static boolean startsAWord(String line, int at) {
        return at == 0
                || (" ./\"'".indexOf(line.charAt(at - 1)) >= 0
                        && !line.substring(0, at).endsWith("TREE/"));
    }

    @ParameterizedTest
    @MethodSource("pages")
    void links_leadSomewhere(Page page) throws IOException {
        for (String link : page.links()) {
            if (link.matches("[a-z]+:.*")) {
                continue;
            }
            List<String> parts = List.of(link.split("#", 2));
            Path from = Page.TREE.resolve(page.name());
            Path to = parts.getFirst().isEmpty()
                    ? from
                    : from.resolveSibling(parts.getFirst()).normalize();
            assertThat(to).as(link).exists();
            if (parts.size() > 1) {
                assertThat(Page.of(Page.TREE.relativize(to).toString()).anchors())
                        .as(link)
                        .contains(parts.get(1));
            }
        }
    }

    /** The server's readers accept the lines of exports(5) and of the configuration file. */
    @Test
    void examplesOfFiles_areTaken() throws IOException {
        Page operate = Page.of("docs/operate.md");
        List<String> exports = Stream.concat(
                        operate.shown().stream().filter(line -> line.matches("/srv/\\S+ +\\S.*")),
                        Pattern.compile("/srv/\\S+ [^\\s`]+\\(\\S+\\)")
                                .matcher(String.join("\n", operate.shown()))
                                .results()
                                .map(found -> found.group()))
                .distinct()
                .toList();
        assertThat(exports).hasSize(3);
        for (String line : exports) {
            Path file = Files.writeString(directory.resolve("exports"), line + "\n");
            assertThat(mistakes(List.of("--exports", file.toString()))).as(line).isEmpty();
        }
        List<String> settings = operate.spans().stream()
                .filter(span -> span.startsWith("limits:"))
                .toList();
        assertThat(settings).hasSize(1);
        Path file = Files.writeString(directory.resolve("warpnfs.yaml"), settings.getFirst() + "\n");
        assertThat(Checked.settings(file)).containsEntry("limits.connections.most", "2250");
    }

    /** Programs have no path in it: distributions have them in different directories, and systemd finds them. */
    @Test
    void unitOfTheClient_isOneForSystemd() throws Exception {
        List<String> shown = Page.of("docs/client.md").shown();
        int first = shown.indexOf("# /etc/systemd/system/siw.service");
        List<String> unit = shown.subList(first, shown.indexOf("WantedBy=remote-fs.target") + 1);
        assertThat(unit).filteredOn(line -> line.startsWith("Exec")).hasSize(3).allSatisfy(line -> assertThat(line)
                .matches("Exec(Start|Stop)=[a-z].*"));
        Path analyze = Path.of("/usr/bin/systemd-analyze");
        assumeTrue(Files.isExecutable(analyze), "systemd-analyze is not installed");
        // The programs need not be installed where tests run.
        String text = String.join("\n", unit).replaceAll("=(modprobe|rdma) ", "=true ");
        Path file = Files.writeString(directory.resolve("siw.service"), text + "\n");
        Process process = new ProcessBuilder(
                        analyze.toString(), "verify", "--man=no", "--recursive-errors=no", file.toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
    }

    /** Metrics on the pages exist. A test of the server compares docs/metrics.md with the metrics. */
    @ParameterizedTest
    @MethodSource("pages")
    void metrics_named_exist(Page page) throws IOException {
        String all = Files.readString(Page.TREE.resolve("docs/metrics.md"));
        for (String span : page.spans()) {
            Matcher metric = METRIC.matcher(span);
            while (metric.find()) {
                assertThat(all).as(span).containsPattern(metric.group() + "\\b");
            }
        }
    }

    /** The pages mention each command, and each option of serve. */
    @Test
    void commandsAndOptions_areToldOf() throws IOException {
        Page readme = Page.of("README.md");
        Page operate = Page.of("docs/operate.md");
        String text = String.join("\n", readme.commands()) + "\n" + String.join("\n", operate.commands());
        assertThat(Main.commandLine().getSubcommands().values())
                .filteredOn(command -> !command.getCommandSpec().usageMessage().hidden())
                .allSatisfy(command ->
                        assertThat(text).containsPattern("(?m)(^|warpnfs )" + command.getCommandName() + "\\b"));
        assertThat(Main.commandLine()
                        .getSubcommands()
                        .get("serve")
                        .getCommandSpec()
                        .options())
                .filteredOn(option -> !option.usageHelp() && !option.versionHelp())
                .allSatisfy(option -> assertThat(text).containsPattern(option.longestName() + "\\b"));
    }

    /** The page has exactly one line for each alert of the rules. */
    @Test
    void alerts_areThoseOfTheRules() throws IOException {
        Set<String> alerts = new TreeSet<>();
        for (JsonNode group : StrictModel.tree(Files.readString(Path.of("prometheus", "rules.yml")))
                .get("groups")) {
            group.get("rules").forEach(rule -> alerts.add(rule.path("alert").asText("")));
        }
        alerts.remove("");
        Set<String> told = Pattern.compile("(?m)^\\| (`Warpnfs.+?) \\|")
                .matcher(Page.of("docs/operate.md").prose())
                .results()
                .flatMap(row -> Stream.of(row.group(1).split("[`, ]+")))
                .filter(name -> !name.isEmpty())
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(told).isEqualTo(alerts);
    }
}
