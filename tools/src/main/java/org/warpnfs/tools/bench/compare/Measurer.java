package org.warpnfs.tools.bench.compare;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.HdrHistogram.Histogram;
import org.warpnfs.tools.bench.Bench;
import org.warpnfs.tools.bench.BenchException;
import org.warpnfs.tools.bench.BenchOptions;
import org.warpnfs.tools.bench.BenchReport;
import org.warpnfs.tools.bench.NameBench;
import org.warpnfs.tools.bench.ProcessCpu;
import org.warpnfs.tools.bench.Protocol;
import org.warpnfs.tools.bench.load.NameLoad;
import org.warpnfs.tools.bench.nfs.AuthSysCredential;
import org.warpnfs.tools.bench.nfs.NameCalls;

/** Measures one row. A server is measured by the load generator, a bare loop by its own client. */
final class Measurer {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final double NANOS_PER_MICRO = 1e3;

    private final Map<Tree, Path> trees;
    private final Map<Kind, ServerProcess> servers;
    private final Optional<BareLoop> bare;
    private final ManyNames many = new ManyNames();

    /** @param servers the servers that run; a kind that is missing cannot be measured */
    Measurer(Map<Tree, Path> trees, Map<Kind, ServerProcess> servers, Optional<BareLoop> bare) {
        this.trees = trees;
        this.servers = servers;
        this.bare = bare;
    }

    /** Whether everything that a row needs is available. */
    boolean has(Row row) {
        Kind kind = row.competitor().kind();
        return trees.containsKey(row.tree()) && (kind.bare() ? bare.isPresent() : servers.containsKey(kind));
    }

    /**
     * Measures a row and the rows that are measured together with it.
     *
     * @throws BenchException if something failed; a run with errors has no figures
     */
    Map<Row, Sample> measure(Row row, Duration warmUp, Duration duration) throws BenchException, InterruptedException {
        if (row.competitor().kind().bare()) {
            return Map.of(
                    row,
                    bare.orElseThrow().measure(row, Objects.requireNonNull(trees.get(row.tree())), warmUp, duration));
        }
        if (row.work().inTurn()) {
            return names(row, NameBench.run(options(row, Duration.ZERO, Plan.ofEachTask(duration))));
        }
        if (row.work().listing().isPresent()) {
            many.require(Objects.requireNonNull(trees.get(row.tree())));
            NameCalls.Listing listing = row.work().listing().get();
            return Map.of(row, sample(NameBench.list(options(row, warmUp, duration), ManyNames.DIRECTORY, listing)));
        }
        if (row.work() == Work.CHANGE) {
            return Map.of(row, sample(NameBench.change(options(row, warmUp, duration))));
        }
        BenchReport report = Bench.run(options(row, warmUp, duration), line -> {});
        if (!report.clean() || report.serverCpu() == null) {
            throw new BenchException(report.errors() + " errors, the first: " + report.firstError());
        }
        return Map.of(
                row,
                sample(
                        report.operations(),
                        report.seconds(),
                        report.latencies(),
                        report.serverCpu(),
                        report.clientCpu()));
    }

    private static Map<Row, Sample> names(Row row, Map<NameLoad.Task, NameBench.Part> parts) {
        Map<Row, Sample> samples = new HashMap<>();
        for (Work work : Work.values()) {
            work.task()
                    .filter(task -> work.inTurn())
                    .map(parts::get)
                    .ifPresent(part -> samples.put(
                            new Row(work, row.depth(), row.tree(), row.uid(), row.competitor()), sample(part)));
        }
        return samples;
    }

    private static Sample sample(NameBench.Part part) {
        return sample(part.operations(), part.seconds(), part.latencies(), part.serverCpu(), part.clientCpu());
    }

    private static Sample sample(
            long operations, double seconds, Histogram latencies, ProcessCpu server, ProcessCpu client) {
        return new Sample(
                operations,
                seconds,
                latencies.getValueAtPercentile(50) / NANOS_PER_MICRO,
                latencies.getValueAtPercentile(99) / NANOS_PER_MICRO,
                latencies.getValueAtPercentile(99.9) / NANOS_PER_MICRO,
                server.seconds(),
                client.seconds());
    }

    private BenchOptions options(Row row, Duration warmUp, Duration duration) {
        Kind kind = row.competitor().kind();
        ServerProcess server = Objects.requireNonNull(servers.get(kind));
        InetAddress here = InetAddress.getLoopbackAddress();
        int port = kind.protocol() == Protocol.RDMA ? server.rdmaPort() : server.port();
        return new BenchOptions(
                new InetSocketAddress(here, port),
                new InetSocketAddress(here, server.mountPort()),
                kind.protocol(),
                row.competitor().version(),
                "/" + row.tree().word(),
                row.work().operation(),
                row.work().sizeBytes(),
                row.work().fileBytes(),
                row.depth(),
                1,
                duration,
                warmUp,
                OptionalLong.empty(),
                false,
                false,
                kind.ofThisBuild() == Kind.RDMA_CRC,
                1,
                TIMEOUT,
                new AuthSysCredential("warpnfs-bench", row.uid(), row.uid()),
                OptionalLong.of(server.pid()),
                null,
                false);
    }
}
