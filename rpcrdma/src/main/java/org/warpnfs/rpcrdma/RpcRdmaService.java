package org.warpnfs.rpcrdma;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.dcache.oncrpc4j.rpc.OncRpcProgram;
import org.dcache.oncrpc4j.rpc.RpcDispatchable;
import org.dcache.oncrpc4j.rpc.RpcTransport;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.verbs.ConnectionRequest;
import org.warpnfs.iwarp.verbs.ConnectionRequestHandler;
import org.warpnfs.payload.PayloadPool;
import org.warpnfs.rpcrdma.gss.GssLayer;
import org.warpnfs.rpcrdma.oncrpc.AnsweredCalls;
import org.warpnfs.rpcrdma.oncrpc.ConnectionConfiguration;
import org.warpnfs.rpcrdma.oncrpc.OncRpcDispatcher;
import org.warpnfs.rpcrdma.oncrpc.OpenConnection;
import org.warpnfs.rpcrdma.oncrpc.UpperLayerBindings;
import org.warpnfs.rpcrdma.server.ResponderOptions;
import org.warpnfs.rpcrdma.server.RpcRdmaAcceptor;
import org.warpnfs.rpcrdma.stats.TransportStatistics;

/**
 * Serves oncrpc4j programs over RDMA.
 *
 * <pre>{@code
 * var service = new RpcRdmaService(programs, threads, pool, ResponderOptions.DEFAULT, transport -> {});
 * try (Listener listener = ... listen on an address, with the service as ConnectionRequestHandler ...) {
 *     ...
 *     listener.close();
 *     service.drain(Duration.ofSeconds(10));
 * }
 * service.close();
 * }</pre>
 *
 * The caller owns the listener, so that any provider of verbs can be used. It also owns the executor and the pool. Safe
 * for any thread.
 */
public final class RpcRdmaService implements ConnectionRequestHandler, AutoCloseable {
    private static final Duration WATCH_INTERVAL = Duration.ofSeconds(5);
    private static final Duration DRAIN_WATCH_INTERVAL = Duration.ofMillis(500);
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final TransportStatistics statistics = new TransportStatistics();
    private final OncRpcDispatcher dispatcher;
    private final RpcRdmaAcceptor acceptor;
    private final Thread watch;
    private final boolean watched;

    /**
     * Creates a service with the bindings of {@link UpperLayerBindings#RFC_8267}.
     *
     * @param executor runs the programs; see {@link org.warpnfs.rpcrdma.oncrpc.OperationThreads}
     * @param pool lends the buffers that calls are pulled into; its largest payload bounds a call's chunks
     * @param disconnected is called with the transport of each connection that has ended, the one that its calls came
     *     with
     */
    public RpcRdmaService(
            Map<OncRpcProgram, RpcDispatchable> programs,
            Executor executor,
            PayloadPool pool,
            ResponderOptions options,
            Consumer<RpcTransport> disconnected) {
        this(programs, executor, pool, options, UpperLayerBindings.RFC_8267, disconnected);
    }

    /**
     * @param executor runs the programs; see {@link org.warpnfs.rpcrdma.oncrpc.OperationThreads}
     * @param pool lends the buffers that calls are pulled into; its largest payload bounds a call's chunks
     * @param bindings the results that go to Write chunks, for programs that were written for TCP
     * @param disconnected is called with the transport of each connection that has ended, the one that its calls came
     *     with
     */
    public RpcRdmaService(
            Map<OncRpcProgram, RpcDispatchable> programs,
            Executor executor,
            PayloadPool pool,
            ResponderOptions options,
            UpperLayerBindings bindings,
            Consumer<RpcTransport> disconnected) {
        this(programs, executor, pool, options, bindings, disconnected, null, true);
    }

    /**
     * Creates a service with the bindings of {@link UpperLayerBindings#RFC_8267}.
     *
     * @param gss opens calls with a credential of RPCSEC_GSS; null if such calls are denied
     */
    public RpcRdmaService(
            Map<OncRpcProgram, RpcDispatchable> programs,
            Executor executor,
            PayloadPool pool,
            ResponderOptions options,
            Consumer<RpcTransport> disconnected,
            @Nullable GssLayer gss) {
        this(programs, executor, pool, options, UpperLayerBindings.RFC_8267, disconnected, gss, true);
    }

    private RpcRdmaService(
            Map<OncRpcProgram, RpcDispatchable> programs,
            Executor executor,
            PayloadPool pool,
            ResponderOptions options,
            UpperLayerBindings bindings,
            Consumer<RpcTransport> disconnected,
            @Nullable GssLayer gss,
            boolean watched) {
        this.watched = watched;
        Map<OncRpcProgram, RpcDispatchable> served = new HashMap<>(programs);
        if (options.rfc5666().connectionConfiguration()) {
            served.putIfAbsent(ConnectionConfiguration.PROGRAM, new ConnectionConfiguration());
        }
        dispatcher = new OncRpcDispatcher(served, executor, statistics, bindings, disconnected, gss);
        acceptor = new RpcRdmaAcceptor(options, pool, statistics, dispatcher);
        watch = Thread.ofPlatform().name("rpcrdma-watch").daemon().unstarted(this::watch);
        if (watched) {
            watch.start();
        }
    }

    /** A service without a thread of its own, for a simulation. The owner of the clock calls {@link #endStalled}. */
    public static RpcRdmaService unwatched(
            Map<OncRpcProgram, RpcDispatchable> programs,
            Executor executor,
            PayloadPool pool,
            ResponderOptions options,
            Consumer<RpcTransport> disconnected) {
        return new RpcRdmaService(
                programs, executor, pool, options, UpperLayerBindings.RFC_8267, disconnected, null, false);
    }

    /**
     * Ends connections whose peers make no progress.
     *
     * @param nowNanos a clock that never goes back
     */
    public void endStalled(long nowNanos) {
        acceptor.endStalled(nowNanos);
    }

    @Override
    public void connectionRequested(ConnectionRequest request) {
        acceptor.connectionRequested(request);
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

    /**
     * Refuses new connections and new calls, and waits until the running calls have been answered. For a requester that
     * is gone or takes nothing it waits no longer than {@link org.warpnfs.rpcrdma.server.PeerDeadlines#whileDraining}
     * allows.
     *
     * @return false if some calls still run after {@code limit}
     */
    public boolean drain(Duration limit) {
        acceptor.drain();
        AtomicLong lookedNanos = new AtomicLong(System.nanoTime());
        return await(
                () -> {
                    long now = System.nanoTime();
                    if (watched && now - lookedNanos.get() > DRAIN_WATCH_INTERVAL.toNanos()) {
                        lookedNanos.set(now);
                        endStalled(now);
                    }
                    return acceptor.idle();
                },
                limit);
    }

    /** Ends every connection at once. */
    @Override
    public void close() {
        watch.interrupt();
        acceptor.abort("the service is closed");
    }

    private void watch() {
        try {
            while (true) {
                Thread.sleep(WATCH_INTERVAL);
                endStalled(System.nanoTime());
            }
        } catch (InterruptedException e) {
            // The service has been closed.
        }
    }

    static boolean await(BooleanSupplier condition, Duration limit) {
        long begin = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - begin > limit.toNanos()) {
                return false;
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
        return true;
    }
}
