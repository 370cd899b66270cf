package org.warpnfs.rpcrdma.example;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import org.dcache.oncrpc4j.rpc.OncRpcProgram;
import org.dcache.oncrpc4j.rpc.RpcDispatchable;
import org.warpnfs.iwarp.netty.IwarpTransport;
import org.warpnfs.iwarp.verbs.Listener;
import org.warpnfs.payload.PayloadPool;
import org.warpnfs.rpcrdma.RpcRdmaService;
import org.warpnfs.rpcrdma.TcpRpcService;
import org.warpnfs.rpcrdma.oncrpc.OperationThreads;
import org.warpnfs.rpcrdma.oncrpc.UpperLayerBindings;
import org.warpnfs.rpcrdma.server.ResponderOptions;
import org.warpnfs.rpcrdma.tcp.TcpOptions;

/** Serves programs over RDMA and over TCP until the process is told to end. */
final class LongRunningServer implements AutoCloseable {
    private static final Duration DRAIN_LIMIT = Duration.ofSeconds(10);

    private final OperationThreads threads = new OperationThreads(16);
    private final IwarpTransport iwarp = new IwarpTransport();
    private final RpcRdmaService rdma;
    private final Listener listener;
    private final TcpRpcService tcp;

    LongRunningServer(
            Map<OncRpcProgram, RpcDispatchable> programs, InetSocketAddress rdmaAddress, InetSocketAddress tcpAddress)
            throws IOException {
        UpperLayerBindings bindings = UpperLayerBindings.RFC_8267.toBuilder()
                .opaqueResults(0x2000_0001, 1, ReverseServerStub.REVERSE)
                .build();
        PayloadPool pool = new PayloadPool(256 << 20, 2 << 20);
        rdma = new RpcRdmaService(programs, threads, pool, ResponderOptions.DEFAULT, bindings, transport -> {});
        listener = iwarp.listen(rdmaAddress, rdma);
        tcp = TcpRpcService.start(tcpAddress, programs, threads, TcpOptions.DEFAULT, transport -> {});
    }

    InetSocketAddress rdmaAddress() {
        return listener.localAddress();
    }

    InetSocketAddress tcpAddress() {
        return tcp.localAddress();
    }

    /** Takes nothing new, lets calls under way finish, and ends. */
    @Override
    public void close() {
        listener.close();
        rdma.drain(DRAIN_LIMIT);
        tcp.drain(DRAIN_LIMIT);
        rdma.close();
        tcp.close();
        iwarp.close();
        threads.close();
    }

    public static void main(String[] args) throws Exception {
        LongRunningServer server = new LongRunningServer(
                Map.of(ReverseServerStub.PROGRAM, new Reverse()),
                new InetSocketAddress(20_049),
                new InetSocketAddress(2049));
        Runtime.getRuntime().addShutdownHook(new Thread(server::close, "shutdown"));
        Thread.currentThread().join();
    }
}
