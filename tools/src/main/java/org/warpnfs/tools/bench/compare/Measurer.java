package org.warpnfs.tools.bench.compare;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.HdrHistogram.Histogram;
import org.warpnfs.tools.bench.Bench;
import org.warpnfs.tools.bench.BenchException;
import org.warpnfs.tools.bench.BenchOptions;
import org.warpnfs.tools.bench.BenchReport;
import org.warpnfs.tools.bench.Protocol;
import org.warpnfs.tools.bench.nfs.AuthSysCredential;

/** Measures one row: a server by the load generator, a bare loop by its own client. */
final class Measurer {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final double NANOS_PER_MICRO = 1e3;

    private final Map<Tree, Path> trees;
    private final Map<Kind, ServerProcess> servers;
    private final Optional<BareLoop> bare;

    /** @param servers by what is served; a kind that is not there cannot be measured */
    Measurer(Map<Tree, Path> trees, Map<Kind, ServerProcess> servers, Optional<BareLoop> bare) {
        this.trees = trees;
        this.servers = servers;
        this.bare = bare;
    }

    /** Whether all is there that a row takes. */
    boolean has(Row row) {
        Kind kind = row.competitor().kind();
        return trees.containsKey(row.tree()) && (kind.bare() ? bare.isPresent() : servers.containsKey(kind));
    }

    /** @throws BenchException if something failed: figures of a run with errors are none */
    Sample measure(Row row, Duration warmUp, Duration duration) throws BenchException, InterruptedException {
        if (row.competitor().kind().bare()) {
            return bare.orElseThrow().measure(row, Objects.requireNonNull(trees.get(row.tree())), warmUp, duration);
        }
        BenchReport report = Bench.run(options(row, warmUp, duration), line -> {});
        if (!report.clean() || report.serverCpu() == null) {
            throw new BenchException(report.errors() + " errors, the first: " + report.firstError());
        }
        Histogram latencies = report.latencies();
        return new Sample(
                report.operations(),
                report.seconds(),
                latencies.getValueAtPercentile(50) / NANOS_PER_MICRO,
                latencies.getValueAtPercentile(99) / NANOS_PER_MICRO,
                latencies.getValueAtPercentile(99.9) / NANOS_PER_MICRO,
                report.serverCpu().seconds(),
                report.clientCpu().seconds());
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
                kind == Kind.RDMA_CRC,
                1,
                TIMEOUT,
                new AuthSysCredential("warpnfs-bench", row.uid(), row.uid()),
                OptionalLong.of(server.pid()),
                false);
    }
}
