package org.warpnfs.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.warpnfs.server.WarpServer;
import org.warpnfs.server.config.Backend;
import org.warpnfs.server.config.ExportSpec;
import org.warpnfs.server.config.IdentityChoices;
import org.warpnfs.server.config.RdmaChoices;
import org.warpnfs.server.config.ServerConfig;
import org.warpnfs.tools.bench.BenchOptions;
import org.warpnfs.tools.bench.NameBench;
import org.warpnfs.tools.bench.Operation;
import org.warpnfs.tools.bench.Protocol;
import org.warpnfs.tools.bench.load.NameLoad;
import org.warpnfs.tools.bench.nfs.AuthSysCredential;
import org.warpnfs.tools.bench.nfs.NameCalls;

/** The load of file names with our own server on loopback. */
@Timeout(240)
class NameBenchTest {
    @TempDir
    private Path temporary;

    private final InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    @ParameterizedTest
    @CsvSource({"RDMA,3", "RDMA,4", "TCP,3", "TCP,4"})
    void eachTask_isCounted_andNothingIsLeft(Protocol protocol, int version) throws Exception {
        Path files = Files.createDirectories(temporary.resolve("files"));
        try (WarpServer server = server(files)) {
            BenchOptions options = options(server, files, protocol, version, 5);
            Map<NameLoad.Task, NameBench.Part> parts = NameBench.run(options);
            assertThat(parts.keySet()).containsExactlyElementsOf(NameBench.IN_TURN);
            assertThat(parts.values()).allMatch(part -> part.operations() > 0 && part.seconds() > 0);
            // Everything that was created was removed.
            assertThat(parts.get(NameLoad.Task.REMOVE).operations())
                    .isGreaterThanOrEqualTo(parts.get(NameLoad.Task.CREATE).operations());
            assertThat(NameBench.change(options).operations()).isPositive();
        }
        try (Stream<Path> left = Files.list(files)) {
            assertThat(left).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"RDMA,3", "RDMA,4", "TCP,3", "TCP,4"})
    void listing_ofAnySize_withAndWithoutAttributes_isCounted(Protocol protocol, int version) throws Exception {
        Path files = Files.createDirectories(temporary.resolve("files"));
        Path many = Files.createDirectory(files.resolve("many"));
        for (int i = 0; i < 500; i++) {
            Files.createFile(many.resolve("file" + i));
        }
        try (WarpServer server = server(files)) {
            BenchOptions options = options(server, files, protocol, version, 1);
            for (int replyBytes : List.of(1000, 64 << 10)) {
                for (boolean plus : List.of(false, true)) {
                    NameBench.Part part = NameBench.list(options, "many", new NameCalls.Listing(replyBytes, plus));
                    assertThat(part.operations()).isGreaterThan(part.latencies().getTotalCount());
                }
            }
        }
    }

    private WarpServer server(Path files) throws Exception {
        return WarpServer.start(new ServerConfig(
                List.of(ExportSpec.parse(files + ":/,rw,no_root_squash")),
                Backend.LOCAL,
                16 << 20,
                any,
                any,
                temporary.resolve("state"),
                RdmaChoices.DEFAULT,
                Duration.ofSeconds(2),
                4,
                16 << 20,
                Duration.ofSeconds(5),
                IdentityChoices.DEFAULT));
    }

    private static BenchOptions options(WarpServer server, Path files, Protocol protocol, int version, int depth)
            throws IOException {
        return new BenchOptions(
                protocol == Protocol.RDMA ? server.rdmaAddress() : server.tcpAddress(),
                server.tcpAddress(),
                protocol,
                version,
                "/",
                Operation.READ,
                64 << 10,
                64 << 10,
                depth,
                1,
                Duration.ofMillis(200),
                Duration.ZERO,
                OptionalLong.empty(),
                false,
                false,
                false,
                1,
                Duration.ofSeconds(60),
                new AuthSysCredential("bench", own(files, "uid"), own(files, "gid")),
                OptionalLong.of(ProcessHandle.current().pid()),
                null,
                false);
    }

    /** Returns the user or group ID of the test's process, which owns the file that it made. */
    private static int own(Path made, String kind) throws IOException {
        return (Integer) Files.getAttribute(made, "unix:" + kind);
    }
}
