package org.warpnfs.rpcrdma;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.Executor;
import org.dcache.oncrpc4j.rpc.OncRpcProgram;
import org.dcache.oncrpc4j.rpc.RpcDispatchable;
import org.warpnfs.rpcrdma.oncrpc.OncRpcDispatcher;
import org.warpnfs.rpcrdma.stats.TransportStatistics;
import org.warpnfs.rpcrdma.udp.UdpListener;
import org.warpnfs.rpcrdma.udp.UdpOptions;

/**
 * Serves oncrpc4j programs over UDP on one address, with the same dispatcher as over TCP and RDMA. A call may arrive
 * twice, so the programs must give the same result when it is repeated. Safe for any thread.
 */
public final class UdpRpcService implements AutoCloseable {
    private final UdpListener listener;

    private UdpRpcService(UdpListener listener) {
        this.listener = listener;
    }

    /**
     * Starts to serve.
     *
     * @param executor runs the programs; see {@link org.warpnfs.rpcrdma.oncrpc.OperationThreads}
     * @throws IOException if the address cannot be listened on
     */
    public static UdpRpcService start(
            InetSocketAddress address,
            Map<OncRpcProgram, RpcDispatchable> programs,
            Executor executor,
            UdpOptions options)
            throws IOException {
        OncRpcDispatcher dispatcher =
                new OncRpcDispatcher(programs, executor, new TransportStatistics(), transport -> {});
        return new UdpRpcService(UdpListener.bind(address, options, dispatcher));
    }

    /** The address that it listens on, with the actual port if none was named. */
    public InetSocketAddress localAddress() {
        return listener.localAddress();
    }

    /** The number of datagrams that were no call or exceeded a limit. */
    public long dropped() {
        return listener.dropped();
    }

    /** Frees the address. Calls that still run are not answered. */
    @Override
    public void close() {
        listener.close();
    }
}
