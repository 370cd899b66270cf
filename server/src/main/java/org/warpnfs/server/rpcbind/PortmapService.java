package org.warpnfs.server.rpcbind;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.dcache.oncrpc4j.rpc.OncRpcProgram;
import org.dcache.oncrpc4j.rpc.RpcDispatchable;
import org.warpnfs.rpcrdma.TcpRpcService;
import org.warpnfs.rpcrdma.UdpRpcService;
import org.warpnfs.rpcrdma.oncrpc.OperationThreads;
import org.warpnfs.rpcrdma.tcp.TcpOptions;
import org.warpnfs.rpcrdma.udp.UdpOptions;

/**
 * Serves {@link PortmapProgram} over TCP and UDP, on one port and on its own threads, so that NFS cannot delay it.
 *
 * <p>Closing it frees the port. Safe for any thread.
 */
public final class PortmapService implements AutoCloseable {
    /** The port of RFC 1833, section 2.2. */
    public static final int PORT = 111;

    private static final int THREADS = 2;
    private static final Duration DRAIN = Duration.ofSeconds(1);

    /** Calls, replies and connections are short: a client calls once for each program that it needs for a mount. */
    private static final TcpOptions TCP = TcpOptions.builder()
            .maxRecordBytes(2048)
            .maxCalls(4, 32)
            .maxConnections(128, 32)
            .maxRecordMemoryBytes(256 << 10, 16 << 10)
            .maxUnsentBytes(64 << 10, 256 << 10)
            .maxUnsentBytesOfAll(1 << 20)
            .leastRate(32 << 10, Duration.ofSeconds(10))
            .firstMessageLimit(Duration.ofSeconds(10))
            .maxStartsPerTurn(4)
            .eventLoopThreads(1)
            .build();

    private final OperationThreads threads;
    private final TcpRpcService tcp;
    private final UdpRpcService udp;

    private PortmapService(OperationThreads threads, TcpRpcService tcp, UdpRpcService udp) {
        this.threads = threads;
        this.tcp = tcp;
        this.udp = udp;
    }

    /**
     * Starts the service.
     *
     * @param address where to listen; port 0 means any free port
     * @param programs the programs to list; the service adds itself
     * @throws IOException if the address is in use or forbidden
     */
    public static PortmapService start(InetSocketAddress address, Mappings programs) throws IOException {
        PortmapCounts counts = new PortmapCounts();
        OperationThreads threads = new OperationThreads(THREADS);
        TcpRpcService tcp = null;
        UdpRpcService udp = null;
        try {
            tcp = TcpRpcService.start(
                    address, versions(new PortmapProgram("tcp", programs, counts)), threads, TCP, transport -> {});
            InetSocketAddress taken = tcp.localAddress();
            udp = UdpRpcService.start(
                    new InetSocketAddress(address.getAddress(), taken.getPort()),
                    versions(new PortmapProgram("udp", programs, counts)),
                    threads,
                    UdpOptions.DEFAULT);
            List<OncRpcProgram> itself = programs();
            programs.add("tcp", new InetSocketAddress(address.getAddress(), taken.getPort()), itself)
                    .add("udp", new InetSocketAddress(address.getAddress(), taken.getPort()), itself);
            return new PortmapService(threads, tcp, udp);
        } finally {
            if (udp == null) {
                if (tcp != null) {
                    tcp.close();
                }
                threads.close();
            }
        }
    }

    /** Returns the versions in rpcbind's order. */
    static List<OncRpcProgram> programs() {
        return IntStream.rangeClosed(PortmapProgram.LOWEST_VERSION, PortmapProgram.HIGHEST_VERSION)
                .mapToObj(version -> new OncRpcProgram(PortmapProgram.PROGRAM, version))
                .toList()
                .reversed();
    }

    static Map<OncRpcProgram, RpcDispatchable> versions(PortmapProgram program) {
        Map<OncRpcProgram, RpcDispatchable> versions = new HashMap<>();
        programs().forEach(version -> versions.put(version, program));
        return versions;
    }

    /** Returns the address with the actual port. */
    public InetSocketAddress address() {
        return tcp.localAddress();
    }

    @Override
    public void close() {
        udp.close();
        tcp.drain(DRAIN);
        tcp.close();
        threads.close();
    }
}
