package org.warpnfs.tools.bench.scale;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.warpnfs.tools.bench.BenchException;
import org.warpnfs.tools.bench.BenchOptions;
import org.warpnfs.tools.bench.ProcessCpu;
import org.warpnfs.tools.bench.Protocol;
import org.warpnfs.tools.bench.compare.RunDirectory;
import org.warpnfs.tools.bench.scale.ScaleOptions.Part;
import org.warpnfs.tools.bench.scale.ScaleResults.BesideRow;
import org.warpnfs.tools.bench.scale.ScaleResults.MemoryRow;
import org.warpnfs.tools.bench.scale.ScaleResults.SeveralRow;
import org.warpnfs.tools.bench.scale.ScaleResults.Work;

/**
 * Measures what connections cost a server.
 *
 * <p>Servers run in processes of their own, so that the memory of this load generator does not count. Each row of the
 * memory table has a server of its own, because a server keeps memory that it has used once.
 */
public final class Scale {
    private static final int SMALL_BYTES = 4096;
    private static final int LARGE_BYTES = 1 << 20;
    private static final int DEPTH = 8;
    private static final double NANOS_PER_MICRO = 1e3;

    private final ScaleOptions options;
    private final List<String> warpnfs;
    private final RunDirectory directory;
    private final Consumer<String> progress;
    private final ScaleResults results = new ScaleResults();

    private Scale(ScaleOptions options, List<String> warpnfs, RunDirectory directory, Consumer<String> progress) {
        this.options = options;
        this.warpnfs = warpnfs;
        this.directory = directory;
        this.progress = progress;
    }

    /** The tables for people, and the same as JSON. */
    public record Report(List<String> lines, String json) {}

    /**
     * Measures.
     *
     * @param warpnfs the command that starts warpnfs, up to the word {@code serve}
     * @param directory where servers have their files and logs; the caller closes it, and with it what still runs
     * @param progress receives the lines of progress
     */
    public static Report run(
            ScaleOptions options, List<String> warpnfs, RunDirectory directory, Consumer<String> progress)
            throws BenchException, InterruptedException {
        Scale scale = new Scale(options, warpnfs, directory, progress);
        for (Protocol protocol : options.protocols()) {
            scale.measure(protocol);
        }
        return new Report(ScaleReport.lines(options, scale.results), ScaleReport.json(options, scale.results));
    }

    private void measure(Protocol protocol) throws BenchException, InterruptedException {
        if (options.parts().contains(Part.MEMORY)) {
            for (int connections : options.connections()) {
                results.memory.add(memory(protocol, connections));
            }
        }
        if (options.parts().contains(Part.BESIDE)) {
            beside(protocol);
        }
        if (options.parts().contains(Part.SEVERAL)) {
            several(protocol);
        }
    }

    private void say(Protocol protocol, String what) {
        progress.accept(protocol + ", " + what);
    }

    private ScaleServer warmServer(Protocol protocol, int connections, int depth, int sizeBytes)
            throws BenchException, InterruptedException {
        ScaleServer server = ScaleServer.start(warpnfs, directory, connections);
        try (Clients one = open(server, protocol, 1, depth, sizeBytes)) {
            work(one, server.connections(protocol, options.version(), 1, depth, sizeBytes), server, options.warmUp());
            return server;
        } catch (BenchException e) {
            server.close();
            throw e;
        }
    }

    private Clients open(ScaleServer server, Protocol protocol, int number, int depth, int sizeBytes)
            throws BenchException {
        return Clients.open(number, share -> server.connections(protocol, options.version(), share, depth, sizeBytes));
    }

    private MemoryRow memory(Protocol protocol, int number) throws BenchException, InterruptedException {
        say(protocol, "memory of " + number + " connections");
        try (ScaleServer server = warmServer(protocol, number, 1, SMALL_BYTES)) {
            // The first question loads classes of the server.
            server.memory();
            ServerMemory before = server.memory();
            try (Clients clients = open(server, protocol, number, 1, SMALL_BYTES)) {
                ServerMemory idle = server.memory();
                ReadLoad load = ReadLoad.start(
                        clients.all(), server.connections(protocol, options.version(), number, 1, SMALL_BYTES));
                load.measure(options.duration().dividedBy(2));
                Work work = measured(server, load, options.duration());
                // The load goes on meanwhile, so what calls hold is counted.
                ServerMemory active = server.memory();
                load.stop();
                return new MemoryRow(protocol, number, before, idle, active, work);
            }
        }
    }

    private void beside(Protocol protocol) throws BenchException, InterruptedException {
        List<Integer> depths = List.of(1, DEPTH);
        List<List<Work>> alone = List.of(new ArrayList<>(), new ArrayList<>());
        List<List<Work>> beside = List.of(new ArrayList<>(), new ArrayList<>());
        try (ScaleServer server = warmServer(protocol, options.beside() + 2, DEPTH, SMALL_BYTES)) {
            for (int round = 0; round < options.rounds(); round++) {
                say(protocol, "one active connection alone, round " + (round + 1));
                for (int i = 0; i < depths.size(); i++) {
                    alone.get(i).add(work(server, protocol, 1, depths.get(i), SMALL_BYTES));
                }
                say(protocol, "one active connection beside " + options.beside() + " idle ones, round " + (round + 1));
                try (Clients idle = open(server, protocol, options.beside(), 1, SMALL_BYTES)) {
                    for (int i = 0; i < depths.size(); i++) {
                        beside.get(i).add(work(server, protocol, 1, depths.get(i), SMALL_BYTES));
                    }
                    if (idle.all().size() != options.beside()) {
                        throw new BenchException("not all idle connections were opened");
                    }
                }
            }
        }
        for (int i = 0; i < depths.size(); i++) {
            results.beside.add(new BesideRow(protocol, depths.get(i), options.beside(), alone.get(i), beside.get(i)));
        }
    }

    private void several(Protocol protocol) throws BenchException, InterruptedException {
        List<List<Work>> works = options.several().stream()
                .map(number -> (List<Work>) new ArrayList<Work>())
                .toList();
        try (ScaleServer server = warmServer(protocol, 1, DEPTH, LARGE_BYTES)) {
            for (int round = 0; round < options.rounds(); round++) {
                for (int i = 0; i < works.size(); i++) {
                    int number = options.several().get(i);
                    say(protocol, number + " connections with READs of 1 MiB, round " + (round + 1));
                    works.get(i).add(work(server, protocol, number, DEPTH, LARGE_BYTES));
                }
            }
        }
        for (int i = 0; i < works.size(); i++) {
            results.several.add(new SeveralRow(protocol, options.several().get(i), works.get(i)));
        }
    }

    /** The work of new connections. */
    private Work work(ScaleServer server, Protocol protocol, int number, int depth, int sizeBytes)
            throws BenchException, InterruptedException {
        try (Clients clients = open(server, protocol, number, depth, sizeBytes)) {
            return work(
                    clients,
                    server.connections(protocol, options.version(), number, depth, sizeBytes),
                    server,
                    options.duration());
        }
    }

    /** Connections warm up for a quarter of the time. */
    private static Work work(Clients clients, BenchOptions wanted, ScaleServer server, Duration duration)
            throws BenchException, InterruptedException {
        ReadLoad load = ReadLoad.start(clients.all(), wanted);
        load.measure(duration.dividedBy(4));
        Work work = measured(server, load, duration);
        load.stop();
        return work;
    }

    private static Work measured(ScaleServer server, ReadLoad load, Duration duration)
            throws BenchException, InterruptedException {
        ProcessCpu before = server.cpu();
        long begin = System.nanoTime();
        Histogram latencies = load.measure(duration);
        double seconds = (System.nanoTime() - begin) / 1e9;
        return new Work(
                latencies.getTotalCount(),
                seconds,
                latencies.getValueAtPercentile(50) / NANOS_PER_MICRO,
                latencies.getValueAtPercentile(99) / NANOS_PER_MICRO,
                server.cpu().since(before).seconds());
    }
}
