package org.warpnfs.rpcrdma;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.dcache.oncrpc4j.rpc.OncRpcProgram;
import org.dcache.oncrpc4j.rpc.RpcDispatchable;
import org.dcache.oncrpc4j.rpc.RpcTransport;
import org.jspecify.annotations.Nullable;
import org.warpnfs.rpcrdma.gss.GssLayer;
import org.warpnfs.rpcrdma.oncrpc.AnsweredCalls;
import org.warpnfs.rpcrdma.oncrpc.OncRpcDispatcher;
import org.warpnfs.rpcrdma.oncrpc.OpenConnection;
import org.warpnfs.rpcrdma.oncrpc.UpperLayerBindings;
import org.warpnfs.rpcrdma.stats.TransportStatistics;
import org.warpnfs.rpcrdma.tcp.TcpListener;
import org.warpnfs.rpcrdma.tcp.TcpOptions;
import org.warpnfs.rpcrdma.tcp.TlsContext;

/** Serves oncrpc4j programs over TCP on one address, with the same dispatcher as over RDMA. Safe for any thread. */
public final class TcpRpcService implements AutoCloseable {
    private final TransportStatistics statistics;
    private final OncRpcDispatcher dispatcher;
    private final TcpListener listener;

    private TcpRpcService(TransportStatistics statistics, OncRpcDispatcher dispatcher, TcpListener listener) {
        this.statistics = statistics;
        this.dispatcher = dispatcher;
        this.listener = listener;
    }

    /**
     * Starts to serve.
     *
     * @param executor runs the programs; see {@link org.warpnfs.rpcrdma.oncrpc.OperationThreads}
     * @param disconnected is called with the transport of each connection that has ended, the one that its calls came
     *     with
     * @throws IOException if the address cannot be listened on
     */
    public static TcpRpcService start(
            InetSocketAddress address,
            Map<OncRpcProgram, RpcDispatchable> programs,
            Executor executor,
            TcpOptions options,
            Consumer<RpcTransport> disconnected)
            throws IOException {
        return start(address, programs, executor, options, null, null, disconnected);
    }

    /**
     * Starts to serve clients that may use TLS.
     *
     * @param tls null if no client can; it must outlive the service
     * @throws IOException if the address cannot be listened on
     */
    public static TcpRpcService start(
            InetSocketAddress address,
            Map<OncRpcProgram, RpcDispatchable> programs,
            Executor executor,
            TcpOptions options,
            @Nullable TlsContext tls,
            Consumer<RpcTransport> disconnected)
            throws IOException {
        return start(address, programs, executor, options, tls, null, disconnected);
    }

    /**
     * Starts to serve clients that may use TLS or Kerberos.
     *
     * @param address null to serve nobody
     * @param tls null if no client can use TLS; it must outlive the service
     * @param gss opens calls with a credential of RPCSEC_GSS; null if such calls are denied
     * @throws IOException if the address cannot be listened on
     */
    public static TcpRpcService start(
            @Nullable InetSocketAddress address,
            Map<OncRpcProgram, RpcDispatchable> programs,
            Executor executor,
            TcpOptions options,
            @Nullable TlsContext tls,
            @Nullable GssLayer gss,
            Consumer<RpcTransport> disconnected)
            throws IOException {
        TransportStatistics statistics = new TransportStatistics();
        OncRpcDispatcher dispatcher =
                new OncRpcDispatcher(programs, executor, statistics, UpperLayerBindings.RFC_8267, disconnected, gss);
        return new TcpRpcService(
                statistics, dispatcher, TcpListener.bind(address, options, tls, statistics, dispatcher));
    }

    /** The address that it listens on, with the actual port if none was named. Only if it serves anybody. */
    public InetSocketAddress localAddress() {
        return listener.localAddress();
    }

    /** The calls of all connections so far; a live view. */
    public AnsweredCalls answered() {
        return dispatcher.answered();
    }

    /** The connections that are open now, in no particular order. */
    public List<OpenConnection> connections() {
        return dispatcher.connections();
    }

    /** The counters of all connections together; a live view. */
    public TransportStatistics statistics() {
        return statistics;
    }

    /** The event loops, for measuring their delay. Tasks that run on them must not block. */
    public List<Executor> eventLoops() {
        return listener.eventLoops();
    }

    /**
     * Stops listening, refuses new calls, and waits until the running calls have been answered.
     *
     * @return false if some calls still run after {@code limit}
     */
    public boolean drain(Duration limit) {
        listener.drain();
        return RpcRdmaService.await(() -> listener.connectionCount() == 0, limit);
    }

    /** Closes every connection at once and frees the address. */
    @Override
    public void close() {
        listener.close();
    }
}
