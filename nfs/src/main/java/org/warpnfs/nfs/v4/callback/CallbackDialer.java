package org.warpnfs.nfs.v4.callback;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.dcache.oncrpc4j.rpc.RpcTransport;

/** Makes TCP connections to NFSv4.0 clients, and runs timers for them. Safe for any thread; nothing here waits. */
public interface CallbackDialer {
    /** For a server that calls no NFSv4.0 client: every connection fails. */
    CallbackDialer NONE = new CallbackDialer() {
        @Override
        public CompletionStage<Connection> dial(InetSocketAddress remote) {
            return CompletableFuture.failedFuture(
                    new IOException("this server makes no connections to NFSv4.0 clients"));
        }

        @Override
        public Future<?> after(long delayNanos, Runnable task) {
            return CompletableFuture.completedFuture(null);
        }
    };

    /** Connects, with a time limit of its own. The stage is completed on any thread. */
    CompletionStage<Connection> dial(InetSocketAddress remote);

    /**
     * Runs {@code task} after a delay, unless it is cancelled or the dialer is closed before. The task must not block.
     */
    Future<?> after(long delayNanos, Runnable task);

    /** A connection for calls to a client. */
    interface Connection {
        /** The transport. When the connection ends it fails every call in progress. */
        RpcTransport transport();

        /** Closes the connection. */
        void close();
    }
}
