package org.warpnfs.tools.bench.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.warpnfs.tools.bench.BenchException;

/**
 * The run inside the namespace. It prepares the network and file systems, starts the servers and measures round by
 * round.
 *
 * <p>If a competitor, a file system or the compiler is missing, the run reports it and leaves out what depends on it.
 * If a measurement fails, the run reports it and goes on with the others.
 */
public final class Compare {
    /** Name of the result file that the run inside leaves in its directory. */
    public static final String JSON = "result.json";

    /** Name of the picture of the results. */
    public static final String SVG = "result.svg";

    private final Plan plan;
    private final Path directory;
    private final List<String> warpnfs;
    private final Consumer<String> progress;
    private final Results results;

    private Compare(Plan plan, Path directory, List<String> warpnfs, Consumer<String> progress) {
        this.plan = plan;
        this.directory = directory;
        this.warpnfs = warpnfs;
        this.progress = progress;
        this.results = new Results(plan);
    }

    /**
     * Measures, prints the table, and leaves the result files in the directory for the process outside.
     *
     * @param directory the directory of this run
     * @param warpnfs the command that starts warpnfs, up to the word {@code serve}
     * @param progress receives the lines of progress
     * @param out receives the lines of the table
     * @return whether everything that is available was measured
     */
    public static boolean run(
            Plan plan, Path directory, List<String> warpnfs, Consumer<String> progress, Consumer<String> out)
            throws BenchException, InterruptedException {
        endWithParent();
        Results results = new Compare(plan, directory, warpnfs, progress).results();
        ResultTable.lines(results).forEach(out);
        try {
            Files.writeString(directory.resolve(JSON), ResultJson.of(results));
            Files.writeString(directory.resolve(SVG), ResultPlot.of(results));
        } catch (IOException e) {
            throw new BenchException("the result cannot be written: " + e.getMessage(), e);
        }
        return results.clean();
    }

    /**
     * Ends this process when its standard input ends. The parent holds the other end of it, so this happens even if the
     * parent was killed.
     */
    private static void endWithParent() {
        Thread.ofPlatform().daemon().name("compare-parent").start(() -> {
            try {
                while (System.in.read() >= 0) {
                    // The parent sends nothing, so a byte has no meaning.
                }
            } catch (IOException e) {
                // An error means the same as the end of the stream.
            }
            Runtime.getRuntime().halt(1);
        });
    }

    private Results results() throws BenchException, InterruptedException {
        Room room = new Room(directory);
        room.network();
        attempt("cubic on loopback", room::cubic);
        Map<Tree, Path> trees = new EnumMap<>(Tree.class);
        for (Tree tree : plan.options().trees()) {
            attempt(tree.word(), () -> trees.put(tree, room.mount(tree)));
        }
        Measurer measurer = new Measurer(trees, servers(room, trees), bare());
        long end = System.nanoTime() + plan.most().toNanos();
        settle(measurer, end);
        for (int round = 0; round < plan.options().rounds(); round++) {
            if (!measure(measurer, round, end)) {
                results.missing("what was left after " + plan.most().toMinutes() + " minutes, in round " + (round + 1));
                break;
            }
        }
        return results;
    }

    private interface Step {
        void take() throws BenchException, InterruptedException;
    }

    private void attempt(String what, Step step) throws InterruptedException {
        try {
            step.take();
        } catch (BenchException e) {
            results.missing(what + ": " + e.getMessage());
            progress.accept("not compared: " + what + ": " + e.getMessage());
        }
    }

    private Map<Kind, ServerProcess> servers(Room room, Map<Tree, Path> trees) throws InterruptedException {
        Map<Kind, ServerProcess> servers = new EnumMap<>(Kind.class);
        Servers starts = new Servers(directory, room);
        Set<String> wanted = plan.options().servers();
        if (wanted.contains(Kind.GANESHA.word())) {
            attempt("NFS-Ganesha", () -> servers.put(Kind.GANESHA, starts.ganesha(trees)));
        }
        if (wanted.contains(Kind.RDMA.word())
                || wanted.contains(Kind.RDMA_CRC.word())
                || wanted.contains(Kind.TCP.word())) {
            attempt("warpnfs", () -> {
                ServerProcess started = starts.warpnfs(warpnfs, trees);
                servers.putAll(Map.of(Kind.RDMA, started, Kind.RDMA_CRC, started, Kind.TCP, started));
            });
            if (plan.options().other().isPresent()) {
                List<String> command =
                        Namespace.ofBuild(warpnfs, plan.options().other().get());
                attempt("the other build", () -> {
                    ServerProcess started = starts.other(command, trees);
                    servers.putAll(
                            Map.of(Kind.OTHER_RDMA, started, Kind.OTHER_RDMA_CRC, started, Kind.OTHER_TCP, started));
                });
            }
        }
        return servers;
    }

    private Optional<BareLoop> bare() throws InterruptedException {
        if (!plan.options().servers().contains(Kind.BARE_PREAD.word())) {
            return Optional.empty();
        }
        Map<String, BareLoop> compiled = new HashMap<>();
        attempt("bare loops", () -> compiled.put("", BareLoop.compile(directory)));
        return Optional.ofNullable(compiled.get(""));
    }

    private void settle(Measurer measurer, long end) throws InterruptedException {
        List<Row> rows = plan.settling();
        for (int i = 0; i < rows.size() && System.nanoTime() - end < 0; i++) {
            Row row = rows.get(i);
            if (measurer.has(row)) {
                say("warming up", i, rows, row.title());
                attempt(row, () -> measurer.measure(row, Duration.ZERO, plan.settlingEach()));
            }
        }
    }

    /** Measures one round. Returns whether there was time for all of it. */
    private boolean measure(Measurer measurer, int round, long end) throws InterruptedException {
        List<Row> rows = plan.round(round);
        for (int i = 0; i < rows.size(); i++) {
            if (System.nanoTime() - end >= 0) {
                return false;
            }
            Row row = rows.get(i);
            String which = "round " + (round + 1) + " of " + plan.options().rounds();
            int number = i;
            if (measurer.has(row)) {
                attempt(row, () -> {
                    Map<Row, Sample> samples = measurer.measure(
                            row, plan.options().warmUp(), plan.options().duration());
                    samples.forEach((measured, sample) -> results.add(measured, round, sample));
                    Figure figure = ResultTable.figures(row.work()).getFirst();
                    double value = figure.of(Objects.requireNonNull(samples.get(row)), row.work());
                    say(which, number, rows, row.title() + ": " + Spread.number(value) + " " + figure.title());
                });
            }
        }
        return true;
    }

    private void say(String which, int number, List<Row> rows, String what) {
        progress.accept(which + ", " + (number + 1) + " of " + rows.size() + ": " + what);
    }

    private void attempt(Row row, Step step) throws InterruptedException {
        try {
            step.take();
        } catch (BenchException e) {
            results.failed(row, String.valueOf(e.getMessage()));
            progress.accept(row.title() + ": failed: " + e.getMessage());
        }
    }
}
