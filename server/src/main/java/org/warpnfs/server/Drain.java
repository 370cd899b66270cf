package org.warpnfs.server;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.iwarp.verbs.Listener;
import org.warpnfs.rpcrdma.RpcRdmaService;
import org.warpnfs.rpcrdma.TcpRpcService;

/**
 * The way of a server to where it has no client any more, while its process goes on: it can be looked at, and whoever
 * leads clients to it has time to hear that it takes none. There is no way back. Safe for any thread.
 */
final class Drain {
    private static final Logger LOG = LoggerFactory.getLogger(Drain.class);
    /** Each transport ends what its peers keep it waiting for, long before. */
    private static final Duration LIMIT = Duration.ofHours(1);

    private final Listener rdmaListener;
    private final RpcRdmaService rdma;
    private final TcpRpcService tcp;
    private final List<AutoCloseable> ways = new CopyOnWriteArrayList<>();
    private final AtomicBoolean begun = new AtomicBoolean();
    private volatile boolean done;

    Drain(Listener rdmaListener, RpcRdmaService rdma, TcpRpcService tcp) {
        this.rdmaListener = rdmaListener;
        this.rdma = rdma;
        this.tcp = tcp;
    }

    /** Begins, unless it has. */
    void begin() {
        if (begun.compareAndSet(false, true)) {
            LOG.info("draining: no new connections are taken");
            Thread.ofPlatform().name("warpnfs-drain").daemon().start(this::run);
        }
    }

    /**
     * By this clients find the server: it is closed when they shall find it no more. Closed at once if that has begun;
     * it may be closed more than once.
     */
    void way(AutoCloseable way) {
        ways.add(way);
        if (begun.get()) {
            closeWays();
        }
    }

    /** No new clients find the server. Waits for whoever leads them to it. */
    void closeWays() {
        for (AutoCloseable way : ways) {
            try {
                way.close();
            } catch (Exception e) {
                LOG.warn("clients may still be led here: {}", e.getMessage());
            }
        }
    }

    private void run() {
        // Beside the rest: a portmapper that is slow to forget us holds nobody up.
        Thread withdrawing =
                Thread.ofPlatform().name("warpnfs-drain-ways").daemon().start(this::closeWays);
        rdmaListener.close();
        // Both at once: their connections end beside each other.
        Thread overRdma =
                Thread.ofPlatform().name("warpnfs-drain-rdma").daemon().start(() -> rdma.drain(LIMIT));
        boolean tcpDone = tcp.drain(LIMIT);
        try {
            overRdma.join();
            withdrawing.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        done = tcpDone && rdma.connections().isEmpty();
        LOG.info("drained: {}", done ? "no connection is left" : "connections are still there");
    }

    boolean isDone() {
        return done;
    }
}
