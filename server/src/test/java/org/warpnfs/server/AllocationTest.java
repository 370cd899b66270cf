package org.warpnfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.netty.util.ResourceLeakDetector;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.warpnfs.server.cli.Main;
import org.warpnfs.server.config.Backend;
import org.warpnfs.server.config.ExportSpec;
import org.warpnfs.server.config.IdentityChoices;
import org.warpnfs.server.config.RdmaChoices;
import org.warpnfs.server.config.ServerConfig;

/**
 * What a call allocates on the heap in the steady state, on all threads of the server. The load generator is a process
 * of its own. The limits leave room for another compiler; what a call takes is printed.
 */
@Timeout(240)
class AllocationTest {
    private static final int WARM_UP_CALLS = 40_000;
    private static final int CALLS = 40_000;

    @TempDir
    private Path temporary;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private ResourceLeakDetector.Level leakDetection = ResourceLeakDetector.getLevel();

    /** Leak detection at its strictest allocates a record for each buffer. */
    @BeforeEach
    void setUp() {
        leakDetection = ResourceLeakDetector.getLevel();
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
    }

    @AfterEach
    void tearDown() {
        ResourceLeakDetector.setLevel(leakDetection);
    }

    @ParameterizedTest
    @CsvSource({
        "tcp,3,randread,6500",
        "tcp,4.1,randread,7500",
        "rdma,3,randread,9500",
        "rdma,4.1,randread,10500",
        "tcp,4.1,randwrite,7800",
        "rdma,4.1,randwrite,13500"
    })
    void calls_inTheSteadyState_allocateLittle(String transport, String version, String operation, long limitBytes)
            throws Exception {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        Path files = Files.createDirectory(temporary.resolve("files"));
        try (WarpServer server = WarpServer.start(new ServerConfig(
                List.of(ExportSpec.parse(files + ":/,no_root_squash")),
                Backend.LOCAL,
                16 << 20,
                any,
                any,
                temporary.resolve("state"),
                RdmaChoices.DEFAULT,
                Duration.ofSeconds(5),
                4,
                16 << 20,
                Duration.ofSeconds(5),
                IdentityChoices.DEFAULT))) {
            load(server, transport, version, operation, WARM_UP_CALLS);
            long before = threads.getTotalThreadAllocatedBytes();
            load(server, transport, version, operation, CALLS);
            long each = (threads.getTotalThreadAllocatedBytes() - before) / CALLS;
            System.out.printf(
                    "NFSv%s %s of 4 KiB over %s: %d bytes of heap a call%n", version, operation, transport, each);
            assertThat(each).isLessThan(limitBytes);
        }
    }

    private void load(WarpServer server, String transport, String version, String operation, int calls)
            throws Exception {
        InetSocketAddress target = transport.equals("rdma") ? server.rdmaAddress() : server.tcpAddress();
        Path output = temporary.resolve("bench");
        Process client = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        "bench",
                        "--target",
                        "127.0.0.1",
                        "--port",
                        "" + target.getPort(),
                        "--mount-port",
                        "" + server.tcpAddress().getPort(),
                        "--proto",
                        transport,
                        "--vers",
                        version,
                        "--op",
                        operation,
                        "--size",
                        "4k",
                        "--file-size",
                        "4m",
                        "--depth",
                        "8",
                        "--count",
                        "" + calls)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(client.waitFor(100, TimeUnit.SECONDS)).as("in time").isTrue();
        } finally {
            client.destroyForcibly();
        }
        assertThat(client.exitValue()).as(Files.readString(output)).isZero();
    }
}
