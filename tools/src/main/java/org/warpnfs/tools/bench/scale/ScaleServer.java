package org.warpnfs.tools.bench.scale;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.warpnfs.tools.bench.BenchException;
import org.warpnfs.tools.bench.BenchOptions;
import org.warpnfs.tools.bench.Operation;
import org.warpnfs.tools.bench.ProcessCpu;
import org.warpnfs.tools.bench.Protocol;
import org.warpnfs.tools.bench.compare.Programs;
import org.warpnfs.tools.bench.compare.RunDirectory;
import org.warpnfs.tools.bench.compare.ServerProcess;
import org.warpnfs.tools.bench.nfs.AuthSysCredential;

/**
 * A server of warpnfs in a process of its own, at free ports of loopback, that exports one directory with one file.
 *
 * <p>It has the default settings, but its limit of connections is raised.
 */
final class ScaleServer implements AutoCloseable {
    /** The name of the file that is read. */
    static final String FILE = "data";

    static final long FILE_BYTES = 64L << 20;

    private static final int LIMIT_SECONDS = 60;
    private static final int HTTP_MILLIS = 10_000;
    private static final int LEAST_CONNECTIONS = 1024;
    private static final int SPARE_CONNECTIONS = 64;
    /** A server that has many descriptors uses half of them for connections, half of those for each transport. */
    private static final int DESCRIPTORS_OF_CONNECTION = 4;

    private static final int SPARE_DESCRIPTORS = 2000;

    private final Process process;
    private final int tcpPort;
    private final int rdmaPort;
    private final int httpPort;

    private ScaleServer(Process process, int tcpPort, int rdmaPort, int httpPort) {
        this.process = process;
        this.tcpPort = tcpPort;
        this.rdmaPort = rdmaPort;
        this.httpPort = httpPort;
    }

    /**
     * Starts a server and waits until it listens.
     *
     * @param warpnfs the command that starts warpnfs, up to the word {@code serve}
     * @param run its directory is for the file, the server's state and its log
     * @param connections how many connections it must be able to have
     */
    static ScaleServer start(List<String> warpnfs, RunDirectory run, int connections)
            throws BenchException, InterruptedException {
        int[] ports = freePorts();
        Path directory = run.path();
        Path configuration = directory.resolve("warpnfs.yaml");
        Path files = directory.resolve("files");
        try {
            Files.createDirectories(files);
            if (!Files.exists(files.resolve(FILE))) {
                Files.write(files.resolve(FILE), new byte[(int) FILE_BYTES]);
            }
            int most = most(connections);
            Files.writeString(configuration, "limits:\n  connections:\n    most: " + most + "\n");
        } catch (IOException e) {
            throw new BenchException(directory + ": " + e.getMessage(), e);
        }
        List<String> command = new ArrayList<>(warpnfs);
        command.addAll(List.of("serve", "--config", configuration.toString()));
        command.addAll(List.of("--export", files + ":/,no_root_squash", "--listen", "127.0.0.1", "--admin", "off"));
        command.addAll(List.of("--http", "127.0.0.1:" + ports[2], "--rpcbind", "off", "--nlm", "off"));
        command.addAll(List.of("--tcp-port", "" + ports[0], "--rdma-port", "" + ports[1]));
        command.addAll(List.of("--state", directory.resolve("state-" + ports[0]).toString()));
        Process process = ServerProcess.start(
                run::start, "warpnfs", command, directory.resolve("warpnfs.log"), ports[0], ports[1], ports[2]);
        ScaleServer server = new ScaleServer(process, ports[0], ports[1], ports[2]);
        try {
            server.requireRoom(connections);
            return server;
        } catch (BenchException e) {
            server.close();
            throw e;
        }
    }

    /** No address has more connections than are still free, so there is room for one address more. */
    private static int most(int connections) {
        return Math.max(LEAST_CONNECTIONS, connections + Clients.CONNECTIONS_OF_ADDRESS + SPARE_CONNECTIONS);
    }

    /** A server with few descriptors accepts fewer connections than its configuration says. */
    private void requireRoom(int connections) throws BenchException {
        long fitted = value(metrics(), "warpnfs_budget_limit{budget=\"tcp_connections\"}");
        if (fitted < most(connections)) {
            throw new BenchException("for " + connections + " connections a server needs more descriptors: ulimit -n "
                    + (DESCRIPTORS_OF_CONNECTION * most(connections) + SPARE_DESCRIPTORS));
        }
    }

    /** Ports for TCP, RDMA and HTTP that are free now. */
    private static int[] freePorts() throws BenchException {
        InetAddress here = InetAddress.getLoopbackAddress();
        try (ServerSocket tcp = new ServerSocket(0, 1, here);
                ServerSocket rdma = new ServerSocket(0, 1, here);
                ServerSocket http = new ServerSocket(0, 1, here)) {
            return new int[] {tcp.getLocalPort(), rdma.getLocalPort(), http.getLocalPort()};
        } catch (IOException e) {
            throw new BenchException("no free port: " + e.getMessage(), e);
        }
    }

    /** The options of connections to this server. */
    BenchOptions connections(Protocol protocol, int version, int connections, int depth, int sizeBytes) {
        InetAddress here = InetAddress.getLoopbackAddress();
        return new BenchOptions(
                new InetSocketAddress(here, protocol == Protocol.RDMA ? rdmaPort : tcpPort),
                new InetSocketAddress(here, tcpPort),
                protocol,
                version,
                "/",
                Operation.RANDREAD,
                sizeBytes,
                FILE_BYTES,
                depth,
                connections,
                Duration.ZERO,
                Duration.ZERO,
                OptionalLong.empty(),
                false,
                false,
                false,
                1,
                Duration.ofSeconds(LIMIT_SECONDS),
                new AuthSysCredential("warpnfs-bench", 0, 0),
                OptionalLong.of(process.pid()),
                null,
                false);
    }

    /** The CPU time that the server has used. */
    ProcessCpu cpu() throws BenchException {
        return ProcessCpu.of(process.pid());
    }

    /**
     * Collects garbage by jcmd, and reads what is left.
     *
     * @throws BenchException if this Java has no jcmd, or the server does not answer
     */
    ServerMemory memory() throws BenchException, InterruptedException {
        Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        if (!Files.isExecutable(jcmd)) {
            throw new BenchException("bench scale needs " + jcmd + ", which is part of a JDK");
        }
        Programs.run(LIMIT_SECONDS, jcmd.toString(), Long.toString(process.pid()), "GC.run");
        String metrics = metrics();
        return new ServerMemory(
                residentBytes(),
                value(metrics, "warpnfs_jvm_heap_used_bytes"),
                value(metrics, "warpnfs_jvm_direct_used_bytes"));
    }

    private long residentBytes() throws BenchException {
        try {
            for (String line : Files.readAllLines(Path.of("/proc", Long.toString(process.pid()), "status"))) {
                if (line.startsWith("VmRSS:")) {
                    return Long.parseLong(line.replaceAll("\\D", "")) << 10;
                }
            }
        } catch (IOException e) {
            throw new BenchException("the server has ended", e);
        }
        throw new BenchException("this kernel does not say how much memory a process has");
    }

    private String metrics() throws BenchException {
        try {
            HttpURLConnection connection = (HttpURLConnection) URI.create("http://127.0.0.1:" + httpPort + "/metrics")
                    .toURL()
                    .openConnection();
            connection.setConnectTimeout(HTTP_MILLIS);
            connection.setReadTimeout(HTTP_MILLIS);
            try (var body = connection.getInputStream()) {
                return new String(body.readAllBytes(), StandardCharsets.UTF_8);
            } finally {
                connection.disconnect();
            }
        } catch (IOException e) {
            throw new BenchException("the server's metrics: " + e.getMessage(), e);
        }
    }

    /** The value of a metric without labels, in the text format of Prometheus. */
    static long value(String metrics, String name) throws BenchException {
        return metrics.lines()
                .filter(line -> line.startsWith(name + " "))
                .findFirst()
                .map(line -> (long) Double.parseDouble(line.substring(name.length() + 1)))
                .orElseThrow(() -> new BenchException("the server has no metric " + name));
    }

    /** Nothing that the server would save at its end is needed. */
    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
