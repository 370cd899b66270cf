package org.warpnfs.nfs.v4.callback;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.dcache.oncrpc4j.rpc.RpcTransport;

/** Connects to NFSv4.0 clients over TCP, and keeps the time for that. Safe for any thread; nothing here waits. */
public interface CallbackDialer {
    /** For a server that calls no NFSv4.0 client: every connection fails. */
    CallbackDialer NONE = new CallbackDialer() {
        @Override
        public CompletionStage<Connection> dial(InetSocketAddress remote) {
            return CompletableFuture.failedFuture(new IOException("this server calls no NFSv4.0 clients"));
        }

        @Override
        public Future<?> after(long delayNanos, Runnable task) {
            return CompletableFuture.completedFuture(null);
        }
    };

    /** Connects within a time limit of its own; completed on any thread. */
    CompletionStage<Connection> dial(InetSocketAddress remote);

    /**
     * Runs {@code task}, which does not block, unless it is cancelled or all connections were closed for good before.
     */
    Future<?> after(long delayNanos, Runnable task);

    /** A connection that calls are made on. */
    interface Connection {
        /** Fails every call that is under way when the connection ends. */
        RpcTransport transport();

        /** Ends it. */
        void close();
    }
}
