package org.warpnfs.server.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.tools.bench.BenchException;
import org.warpnfs.tools.bench.compare.Compare;
import org.warpnfs.tools.bench.compare.CompareOptions;
import org.warpnfs.tools.bench.compare.Kind;
import org.warpnfs.tools.bench.compare.Namespace;
import org.warpnfs.tools.bench.compare.Plan;
import org.warpnfs.tools.bench.compare.Tree;
import org.warpnfs.tools.bench.compare.Work;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code warpnfs bench compare}: warpnfs beside bare loops and NFS-Ganesha, on this host alone. */
@Command(
        name = "compare",
        description = {
            "Compares warpnfs with bare loops of system calls and with NFS-Ganesha, on this host alone.",
            "Needs root. All of it runs in a network namespace and on file systems of its own, which are gone with it. "
                    + "Progress goes to standard error, the table to standard output: medians, with the range of the "
                    + "rounds in brackets.",
            "Exit status: 0 clean, 1 failed or with errors, 2 for a command line that cannot be understood."
        },
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false)
final class BenchCompareCommand implements Callable<Integer> {
    /** The run inside ends by itself before that. */
    private static final Duration BESIDE_THE_LIMIT = Duration.ofMinutes(2);

    @Spec
    private @Nullable CommandSpec spec;

    @Option(
            names = "--only",
            split = ",",
            paramLabel = "WORK",
            description = "Of read-1m, write-1m, read-4k, write-4k, metadata, changes, listing. Default: all.")
    private List<String> only = List.of();

    @Option(
            names = "--servers",
            split = ",",
            paramLabel = "SERVER",
            description = "Of bare, rdma, rdma-crc, tcp, ganesha. Default: all; what is not installed is left out.")
    private List<String> servers = List.of();

    @Option(
            names = "--other",
            paramLabel = "DIR",
            description = "Another build of warpnfs, measured in the same rounds: a checkout in which ./warpnfs has "
                    + "been built. Default: none.")
    private @Nullable Path other;

    @Option(names = "--vers", split = ",", paramLabel = "3|4.1", description = "Versions of NFS. Default: both.")
    private List<String> versions = List.of();

    @Option(
            names = "--depths",
            split = ",",
            paramLabel = "N",
            description =
                    "Calls in flight. Default: 8 for 1 MiB; 1, 8, 32 for 4 KiB; 1, 16, 64 for metadata and changes;"
                            + " 1 for listing.")
    private List<Integer> depths = List.of();

    @Option(names = "--files", split = ",", paramLabel = "tmpfs|ext4", description = "Where. Default: both.")
    private List<String> files = List.of();

    @Option(
            names = "--uids",
            split = ",",
            paramLabel = "N",
            description = "Whose calls. Default: root's, and of 4 KiB at depth 32 also those of uid 1000.")
    private List<Integer> uids = List.of();

    @Option(names = "--rounds", paramLabel = "N", description = "Default: 5.")
    private @Nullable Integer rounds;

    @Option(names = "--seconds", paramLabel = "N", description = "Of each measurement. Default: 2.")
    private @Nullable Double seconds;

    @Option(names = "--warmup", paramLabel = "N", description = "Seconds before each that do not count. Default: 0.5.")
    private @Nullable Double warmUp;

    @Option(
            names = "--quick",
            description = "A few minutes: one round of a second each, NFSv4.1, tmpfs, root. Other options go before.")
    private boolean quick;

    @Option(names = "--json", paramLabel = "FILE", description = "Write all figures there, for programs.")
    private @Nullable Path json;

    @Option(names = "--svg", paramLabel = "FILE", description = "Draw the medians and ranges there.")
    private @Nullable Path svg;

    @Option(names = "--plan", description = "Say what would be measured and how long it takes, and end.")
    private boolean planOnly;

    @Override
    public Integer call() throws ConfigException, InterruptedException {
        CommandLine command = Objects.requireNonNull(spec).commandLine();
        Plan plan;
        try {
            plan = new Plan(options());
            if (plan.isEmpty()) {
                throw new ConfigException("nothing to measure: none of --servers does what --only and --uids ask for");
            }
        } catch (ConfigException e) {
            throw new ParameterException(command, e.getMessage(), e);
        }
        if (planOnly) {
            command.getOut().println(plan.summary());
            command.getOut().flush();
            return 0;
        }
        String directory = System.getProperty(Namespace.DIRECTORY);
        try {
            return directory == null ? outside(command, plan) : inside(command, plan, Path.of(directory));
        } catch (BenchException e) {
            throw new ConfigException(String.valueOf(e.getMessage()), e);
        }
    }

    private int outside(CommandLine command, Plan plan) throws BenchException, ConfigException, InterruptedException {
        try (Namespace namespace = Namespace.make()) {
            OutputFile.requireWritable("--json", json);
            OutputFile.requireWritable("--svg", svg);
            Consumer<String> err = lines(command.getErr());
            err.accept(plan.summary());
            int status = namespace.run(
                    Main.class.getName(),
                    arguments(command),
                    plan.most().plus(BESIDE_THE_LIMIT),
                    lines(command.getOut()),
                    err);
            copy(namespace.directory().resolve(Compare.JSON), json);
            copy(namespace.directory().resolve(Compare.SVG), svg);
            return status;
        }
    }

    private static int inside(CommandLine command, Plan plan, Path directory)
            throws BenchException, InterruptedException {
        String options = System.getenv().getOrDefault("WARPNFS_JAVA_OPTS", "").strip();
        List<String> flags = Stream.of(options.split("\\s+", -1))
                .filter(word -> !word.isEmpty())
                .toList();
        boolean clean = Compare.run(
                plan,
                directory,
                Namespace.java(flags, Main.class.getName()),
                lines(command.getErr()),
                lines(command.getOut()));
        return clean ? 0 : Main.FAILURE;
    }

    private static Consumer<String> lines(PrintWriter to) {
        return line -> {
            to.println(line);
            to.flush();
        };
    }

    /** What this program was given. */
    private static List<String> arguments(CommandLine command) {
        CommandLine root = command;
        while (root.getParent() != null) {
            root = root.getParent();
        }
        return root.getParseResult().originalArgs();
    }

    private static void copy(Path from, @Nullable Path to) throws ConfigException {
        if (to == null || !Files.exists(from)) {
            return;
        }
        try {
            Files.write(to, Files.readAllBytes(from));
        } catch (IOException e) {
            throw new ConfigException(to + ": cannot be written (" + e.getMessage() + ")", e);
        }
    }

    private CompareOptions options() throws ConfigException {
        List<Integer> chosenDepths = new ArrayList<>();
        for (int depth : depths) {
            chosenDepths.add(OptionRange.within("--depths", depth, 1, 128));
        }
        for (int uid : uids) {
            OptionRange.within("--uids", uid, 0, Integer.MAX_VALUE);
        }
        return new CompareOptions(
                chosen("--only", only, List.of(Work.values()), Work::choice),
                quick && depths.isEmpty() ? List.of() : chosenDepths,
                quick && files.isEmpty()
                        ? List.of(Tree.TMPFS)
                        : chosen("--files", files, List.of(Tree.values()), Tree::word),
                quick && uids.isEmpty() ? List.of(0) : uids,
                kinds(),
                otherBuild(),
                quick && versions.isEmpty()
                        ? List.of(4)
                        : chosen("--vers", versions, List.of(3, 4), version -> version == 3 ? "3" : "4.1"),
                OptionRange.within("--rounds", rounds != null ? rounds : quick ? 1 : 5, 1, 1000),
                duration("--seconds", seconds != null ? seconds : quick ? 1.0 : 2.0, 0.1),
                duration("--warmup", warmUp != null ? warmUp : 0.5, 0));
    }

    private Optional<Path> otherBuild() throws ConfigException {
        if (other == null) {
            return Optional.empty();
        }
        Path jars = other.toAbsolutePath().resolve("server/target");
        if (!Files.isReadable(jars.resolve(Namespace.SERVER_JAR)) || !Files.isDirectory(jars.resolve("lib"))) {
            throw new ConfigException("--other " + other + ": there is no server/target/" + Namespace.SERVER_JAR
                    + " with lib beside it; run ./warpnfs --version there first");
        }
        return Optional.of(jars);
    }

    private Set<String> kinds() throws ConfigException {
        List<String> words = Stream.of(Kind.values()).map(Kind::word).distinct().toList();
        return new LinkedHashSet<>(chosen("--servers", servers, words, word -> word));
    }

    private static Duration duration(String option, double value, double min) throws ConfigException {
        if (!(value >= min && value <= 3600)) {
            throw new ConfigException(option + " " + value + ": not within " + min + "..3600");
        }
        return Duration.ofMillis(Math.round(value * 1000));
    }

    /** Those whose words were said, in the order of all; all if none was. */
    private static <T> List<T> chosen(String option, List<String> said, List<T> all, Function<T, String> word)
            throws ConfigException {
        List<String> known = all.stream().map(word).distinct().toList();
        for (String one : said) {
            if (!known.contains(one)) {
                throw new ConfigException(option + " " + one + ": not one of " + String.join(", ", known));
            }
        }
        return all.stream()
                .filter(one -> said.isEmpty() || said.contains(word.apply(one)))
                .toList();
    }
}
