package org.warpnfs.server.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.tools.bench.BenchException;
import org.warpnfs.tools.bench.Protocol;
import org.warpnfs.tools.bench.compare.Namespace;
import org.warpnfs.tools.bench.compare.RunDirectory;
import org.warpnfs.tools.bench.scale.Scale;
import org.warpnfs.tools.bench.scale.ScaleOptions;
import org.warpnfs.tools.bench.scale.ScaleOptions.Part;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code warpnfs bench scale}: what connections cost, on this host alone. */
@Command(
        name = "scale",
        description = {
            "Measures what connections cost a server of warpnfs: memory, what idle ones cost an active one, and how "
                    + "throughput adds up.",
            "Starts servers of its own on loopback, and needs a JDK and two descriptors for each connection. Progress "
                    + "goes to standard error, the tables to standard output.",
            "Exit status: 0 measured, 1 failed, 2 for a command line that cannot be understood."
        },
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false)
final class BenchScaleCommand implements Callable<Integer> {
    private static final int MOST_CONNECTIONS = 16_000;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(
            names = "--only",
            split = ",",
            paramLabel = "PART",
            description = "Of memory, beside, several. Default: all.")
    private List<String> only = List.of();

    @Option(names = "--proto", split = ",", paramLabel = "tcp|rdma", description = "Transports. Default: both.")
    private List<String> protocols = List.of();

    @Option(names = "--vers", paramLabel = "3|4.1", description = "The version of NFS. Default: 4.1.")
    private String version = "4.1";

    @Option(
            names = "--connections",
            split = ",",
            paramLabel = "N",
            description = "Whose memory is measured. Default: 1,16,256,4000.")
    private List<Integer> connections = List.of(1, 16, 256, 4000);

    @Option(names = "--beside", paramLabel = "N", description = "Idle connections beside an active one. Default: 4000.")
    private int beside = 4000;

    @Option(
            names = "--several",
            split = ",",
            paramLabel = "N",
            description = "Connections whose throughput is compared. Default: 1,2,4,16.")
    private List<Integer> several = List.of(1, 2, 4, 16);

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "Of beside and several; the tables have medians, with the range in brackets. Default: 3.")
    private int rounds = 3;

    @Option(names = "--seconds", paramLabel = "N", description = "Of each measurement. Default: 2.")
    private double seconds = 2;

    @Option(
            names = "--warmup",
            paramLabel = "N",
            description = "Seconds that a server works before the first measurement. Default: 5.")
    private double warmUp = 5;

    @Option(names = "--json", paramLabel = "FILE", description = "Write all figures there, for programs.")
    private @Nullable Path json;

    @Override
    public Integer call() throws ConfigException, InterruptedException {
        CommandLine command = Objects.requireNonNull(spec).commandLine();
        ScaleOptions options;
        try {
            options = options();
        } catch (ConfigException e) {
            throw new ParameterException(command, e.getMessage(), e);
        }
        PrintWriter err = command.getErr();
        OutputFile.requireWritable("--json", json);
        try (RunDirectory directory = RunDirectory.make("warpnfs-scale-")) {
            Scale.Report report = Scale.run(options, Namespace.java(flags(), Main.class.getName()), directory, line -> {
                err.println(line);
                err.flush();
            });
            report.lines().forEach(command.getOut()::println);
            command.getOut().flush();
            if (json != null) {
                Files.writeString(json, report.json());
            }
            return 0;
        } catch (BenchException | IOException e) {
            throw new ConfigException(String.valueOf(e.getMessage()), e);
        }
    }

    private static List<String> flags() {
        String options = System.getenv().getOrDefault("WARPNFS_JAVA_OPTS", "").strip();
        return Stream.of(options.split("\\s+", -1))
                .filter(word -> !word.isEmpty())
                .toList();
    }

    private ScaleOptions options() throws ConfigException {
        for (int number : connections) {
            OptionRange.within("--connections", number, 1, MOST_CONNECTIONS);
        }
        for (int number : several) {
            OptionRange.within("--several", number, 1, MOST_CONNECTIONS);
        }
        if (!version.equals("3") && !version.equals("4.1")) {
            throw new ConfigException("--vers " + version + ": not 3 or 4.1");
        }
        Set<Part> parts = EnumSet.noneOf(Part.class);
        parts.addAll(chosen("--only", only, List.of(Part.values()), Part::name));
        return new ScaleOptions(
                parts,
                chosen("--proto", protocols, List.of(Protocol.TCP, Protocol.RDMA), Protocol::name),
                version.equals("3") ? 3 : 4,
                connections,
                OptionRange.within("--beside", beside, 1, MOST_CONNECTIONS),
                several,
                OptionRange.within("--rounds", rounds, 1, 1000),
                duration("--seconds", seconds),
                duration("--warmup", warmUp));
    }

    private static Duration duration(String option, double value) throws ConfigException {
        if (!(value >= 0.1 && value <= 3600)) {
            throw new ConfigException(option + " " + value + ": not within 0.1..3600");
        }
        return Duration.ofMillis(Math.round(value * 1000));
    }

    /** Those whose words were said, in the order of all; all if none was. */
    private static <T> List<T> chosen(String option, List<String> said, List<T> all, Function<T, String> name)
            throws ConfigException {
        List<String> known = all.stream()
                .map(name)
                .map(word -> word.toLowerCase(Locale.ROOT))
                .toList();
        for (String one : said) {
            if (!known.contains(one)) {
                throw new ConfigException(option + " " + one + ": not one of " + String.join(", ", known));
            }
        }
        return all.stream()
                .filter(one -> said.isEmpty() || said.contains(name.apply(one).toLowerCase(Locale.ROOT)))
                .toList();
    }
}
