package org.warpnfs.server;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.iwarp.verbs.Listener;
import org.warpnfs.rpcrdma.RpcRdmaService;
import org.warpnfs.rpcrdma.TcpRpcService;

/**
 * Drains a server: it accepts no more clients and loses those it has, while its process runs on. Meanwhile it can be
 * monitored, and load balancers and portmappers have time to learn that it accepts no clients. A drain cannot be
 * undone. Safe for any thread.
 */
final class Drain {
    private static final Logger LOG = LoggerFactory.getLogger(Drain.class);
    /** The longest drain. The deadlines of each transport end waits for peers long before. */
    private static final Duration LIMIT = Duration.ofHours(1);

    private final @Nullable Listener rdmaListener;
    private final RpcRdmaService rdma;
    private final TcpRpcService tcp;
    private final List<AutoCloseable> ways = new CopyOnWriteArrayList<>();
    private final AtomicBoolean begun = new AtomicBoolean();
    private volatile boolean done;

    /** @param rdmaListener null if nothing is served over RDMA */
    Drain(@Nullable Listener rdmaListener, RpcRdmaService rdma, TcpRpcService tcp) {
        this.rdmaListener = rdmaListener;
        this.rdma = rdma;
        this.tcp = tcp;
    }

    /** Begins the drain, unless it has begun. */
    void begin() {
        if (begun.compareAndSet(false, true)) {
            LOG.info("draining: no new connections are accepted");
            Thread.ofPlatform().name("warpnfs-drain").daemon().start(this::run);
        }
    }

    /**
     * Registers something by which clients find the server, such as an entry at a portmapper. It is closed when the
     * drain begins, or at once if it has begun; it may be closed more than once.
     */
    void way(AutoCloseable way) {
        ways.add(way);
        if (begun.get()) {
            closeWays();
        }
    }

    /** Withdraws the server from everything by which clients find it, and waits for that. */
    void closeWays() {
        for (AutoCloseable way : ways) {
            try {
                way.close();
            } catch (Exception e) {
                LOG.warn("clients may still be directed to this server: {}", e.getMessage());
            }
        }
    }

    private void run() {
        // On a thread of its own, so that a slow portmapper delays nothing.
        Thread withdrawing =
                Thread.ofPlatform().name("warpnfs-drain-ways").daemon().start(this::closeWays);
        if (rdmaListener != null) {
            rdmaListener.close();
        }
        // Both transports at once.
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
        LOG.info("drained: {}", done ? "no connection is left" : "connections are left");
    }

    boolean isDone() {
        return done;
    }
}
