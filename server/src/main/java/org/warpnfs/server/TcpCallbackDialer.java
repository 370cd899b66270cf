package org.warpnfs.server;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import org.dcache.oncrpc4j.rpc.RpcTransport;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.callback.CallbackDialer;
import org.warpnfs.rpcrdma.oncrpc.RequesterTransport;
import org.warpnfs.rpcrdma.request.BackwardCalls;
import org.warpnfs.rpcrdma.tcp.TcpConnector;
import org.warpnfs.rpcrdma.tcp.TcpRequesterOptions;

/**
 * Opens connections to NFSv4.0 clients for callbacks.
 *
 * <h2>Operation</h2>
 *
 * One event loop serves all connections. On these connections a client only replies; if it sends a call, the connection
 * ends.
 *
 * <h2>Errors</h2>
 *
 * A reply of more than 4 KiB ends its connection before its bytes are read. Safe for any thread.
 */
final class TcpCallbackDialer implements CallbackDialer, AutoCloseable {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    private static final int MAX_REPLY_BYTES = 4096;
    private static final int MAX_OUTSTANDING = 16;

    private final TcpConnector connector;

    /** @param listening where the server listens; if it is a single address, connections use it as their source */
    TcpCallbackDialer(InetSocketAddress listening) {
        this(listening, CONNECT_TIMEOUT);
    }

    TcpCallbackDialer(InetSocketAddress listening, Duration connectTimeout) {
        InetAddress address = listening.getAddress();
        this.connector = new TcpConnector(1, connectTimeout, address.isAnyLocalAddress() ? null : address);
    }

    @Override
    public CompletionStage<Connection> dial(InetSocketAddress remote) {
        try {
            return connector
                    .connect(remote, new TcpRequesterOptions(MAX_REPLY_BYTES, MAX_OUTSTANDING, 0), BackwardCalls.NONE)
                    .thenApply(requester -> new RequesterConnection(new RequesterTransport(requester, 0)));
        } catch (IllegalStateException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private record RequesterConnection(RequesterTransport requester) implements Connection {
        @Override
        public RpcTransport transport() {
            return requester;
        }

        @Override
        public void close() {
            requester.close();
        }
    }

    @Override
    public Future<?> after(long delayNanos, Runnable task) {
        try {
            return connector.after(delayNanos, task);
        } catch (RejectedExecutionException e) {
            return CompletableFuture.<@Nullable Object>completedFuture(null);
        }
    }

    /** Closes all connections. */
    @Override
    public void close() {
        connector.close();
    }
}
