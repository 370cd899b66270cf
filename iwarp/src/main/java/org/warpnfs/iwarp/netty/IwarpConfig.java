package org.warpnfs.iwarp.netty;

import org.warpnfs.iwarp.qp.QueuePairConfig;

/**
 * Limits and choices of a transport.
 *
 * @param queuePair of each connection
 * @param eventLoopThreads threads that connections are spread over; 0 for one per processor
 * @param maxConnections connections accepted at one time; more are closed at once
 * @param maxHalfOpenConnections of those, how many may be in their startup; more are closed at once
 * @param connectTimeoutMillis for the TCP connection of an initiator
 * @param congestionControl name of TCP's congestion control, where the platform lets it be chosen; empty for its own choice
 */
public record IwarpConfig(
        QueuePairConfig queuePair,
        int eventLoopThreads,
        int maxConnections,
        int maxHalfOpenConnections,
        int connectTimeoutMillis,
        String congestionControl) {
    public IwarpConfig {
        if (eventLoopThreads < 0 || maxConnections < 1 || maxHalfOpenConnections < 1 || connectTimeoutMillis < 1) {
            throw new IllegalArgumentException(
                    "limits are at least 1: " + maxConnections + ", " + maxHalfOpenConnections + ", "
                            + connectTimeoutMillis + "; threads at least 0: " + eventLoopThreads);
        }
    }

    /**
     * A thread per processor, 1024 connections, 128 of them half open, 10 s to connect. Cubic, because paced congestion
     * control such as bbr halves what a loopback or data centre link gives.
     */
    public static IwarpConfig defaults() {
        return new IwarpConfig(QueuePairConfig.defaults(), 0, 1024, 128, 10_000, "cubic");
    }

    /** These, with other queue pairs. */
    public IwarpConfig withQueuePair(QueuePairConfig config) {
        return new IwarpConfig(
                config,
                eventLoopThreads,
                maxConnections,
                maxHalfOpenConnections,
                connectTimeoutMillis,
                congestionControl);
    }

    /** These, with another number of threads. */
    public IwarpConfig withEventLoopThreads(int threads) {
        return new IwarpConfig(
                queuePair, threads, maxConnections, maxHalfOpenConnections, connectTimeoutMillis, congestionControl);
    }

    /** These, with other limits on what is accepted. */
    public IwarpConfig withConnectionLimits(int connections, int halfOpen) {
        return new IwarpConfig(
                queuePair, eventLoopThreads, connections, halfOpen, connectTimeoutMillis, congestionControl);
    }
}
