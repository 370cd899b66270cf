package org.warpnfs.rpcrdma;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.iwarp.verbs.Connector;
import org.warpnfs.rpcrdma.client.RequesterOptions;
import org.warpnfs.rpcrdma.client.RpcRdmaRequester;
import org.warpnfs.rpcrdma.request.BackwardCalls;
import org.warpnfs.rpcrdma.request.ReconnectingRequester;
import org.warpnfs.rpcrdma.request.Requester;
import org.warpnfs.rpcrdma.request.RetryPolicy;
import org.warpnfs.rpcrdma.tcp.TcpConnector;
import org.warpnfs.rpcrdma.tcp.TcpRequesterOptions;
import org.warpnfs.schedule.Repeated;

/**
 * Creates requesters over RDMA and over TCP, the entry point of a client. A requester connects when it is first used,
 * reconnects when a connection ends, and ends calls whose deadline has passed.
 *
 * <pre>{@code
 * try (IwarpTransport iwarp = new IwarpTransport(); RpcRequesters requesters = new RpcRequesters(1)) {
 *     Requester requester = requesters.overRdma(
 *             iwarp.connector(), server, RequesterOptions.DEFAULT, RetryPolicy.DEFAULT, BackwardCalls.NONE);
 *     ...
 * }
 * }</pre>
 *
 * It has one timer thread and one or more threads for TCP. The caller owns the verbs. {@link #close()} closes every
 * requester. Safe for any thread.
 */
public final class RpcRequesters implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RpcRequesters.class);
    private static final Duration WATCH_PERIOD = Duration.ofMillis(250);

    private final TcpConnector tcp;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("rpc-requesters").daemon().factory());
    private final Set<ReconnectingRequester> requesters = ConcurrentHashMap.newKeySet();

    /** @param tcpThreads the number of threads that TCP connections share, at least 1 */
    public RpcRequesters(int tcpThreads) {
        this(new TcpConnector(tcpThreads));
    }

    /**
     * @param tcpThreads the number of threads that TCP connections share, at least 1
     * @param local the local address of TCP connections
     */
    public RpcRequesters(int tcpThreads, InetAddress local) {
        this(new TcpConnector(tcpThreads, TcpConnector.CONNECT_TIMEOUT, local));
    }

    private RpcRequesters(TcpConnector tcp) {
        this.tcp = tcp;
        var _ = Repeated.inPeriods(timer, WATCH_PERIOD, this::watch);
    }

    private void watch() {
        requesters.removeIf(ReconnectingRequester::closed);
        requesters.forEach(RpcRequesters::endOverdue);
    }

    private static void endOverdue(ReconnectingRequester requester) {
        try {
            requester.endOverdue(System.nanoTime());
        } catch (RuntimeException | Error e) {
            // It would end the schedule: no call of any requester would have a deadline any more.
            LOG.error("{}: the handler of a call that has no reply failed", requester.remoteAddress(), e);
        }
    }

    /** The deadline of a call that is made now. */
    public static long deadlineNanos(Duration timeout) {
        return Requester.deadlineNanos(timeout);
    }

    /** A requester over RDMA. */
    public Requester overRdma(
            Connector connector,
            InetSocketAddress remote,
            RequesterOptions options,
            RetryPolicy policy,
            BackwardCalls backwardCalls) {
        return kept(policy, () -> RpcRdmaRequester.connect(connector, remote, options, backwardCalls));
    }

    /** A requester over TCP with record marking. */
    public Requester overTcp(
            InetSocketAddress remote, TcpRequesterOptions options, RetryPolicy policy, BackwardCalls backwardCalls) {
        return kept(policy, () -> tcp.connect(remote, options, backwardCalls));
    }

    private Requester kept(RetryPolicy policy, Supplier<? extends CompletableFuture<? extends Requester>> connections) {
        ReconnectingRequester requester = new ReconnectingRequester(connections, policy, (delayNanos, task) -> {
            var _ = timer.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
        });
        requesters.add(requester);
        return requester;
    }

    @Override
    public void close() {
        requesters.forEach(Requester::close);
        timer.shutdownNow();
        tcp.close();
    }
}
