package org.warpnfs.iwarp.netty;

import org.warpnfs.iwarp.qp.QueuePairConfig;
import org.warpnfs.iwarp.qp.RnicLimits;

/**
 * Limits and choices of a transport.
 *
 * @param queuePair of each connection
 * @param limits of all connections together
 * @param eventLoopThreads threads that connections are spread over; 0 for one per processor
 * @param maxConnections connections accepted at one time; for one more the longest idle one is closed, or the newcomer
 *     if none is
 * @param maxHalfOpenConnections of those, how many may be half open: their peer's first message is still to come. For
 *     one more the oldest is closed
 * @param maxHalfOpenPerAddress of those half open, how many may come from one address, an IPv4 address or an IPv6 /64;
 *     more are closed at once, and so are those of an address that has more than are still free
 * @param maxConnectionsPerAddress of all, how many may come from one address; likewise
 * @param evictableIdleMillis how long a connection has to have been idle before it is closed for a newcomer's sake
 * @param connectTimeoutMillis for the TCP connection of an initiator
 * @param congestionControl name of TCP's congestion control, where the platform lets it be chosen; empty for its own
 *     choice
 */
public record IwarpConfig(
        QueuePairConfig queuePair,
        RnicLimits limits,
        int eventLoopThreads,
        int maxConnections,
        int maxHalfOpenConnections,
        int maxHalfOpenPerAddress,
        int maxConnectionsPerAddress,
        int evictableIdleMillis,
        int connectTimeoutMillis,
        String congestionControl) {
    public IwarpConfig {
        if (maxConnections < 1
                || maxHalfOpenConnections < 1
                || maxHalfOpenPerAddress < 1
                || maxConnectionsPerAddress < 1
                || connectTimeoutMillis < 1) {
            throw new IllegalArgumentException("limits are at least 1: connections " + maxConnections + ", half open "
                    + maxHalfOpenConnections + ", per address " + maxConnectionsPerAddress + " and half open "
                    + maxHalfOpenPerAddress + ", connect timeout "
                    + connectTimeoutMillis);
        }
        if (eventLoopThreads < 0 || evictableIdleMillis < 0) {
            throw new IllegalArgumentException("threads and times are at least 0: " + eventLoopThreads + " threads, "
                    + evictableIdleMillis + " ms");
        }
    }

    /**
     * A thread per processor, 1024 connections, of which 512 half open and 512 from one address, and 128 half open from
     * one address. No address has more than are still free, so four that do their worst leave a fifth of all to others.
     * A connection may be closed for another when it was idle for 10 s: longer than a client at work rests between two
     * calls. 10 s to connect. Cubic, because paced congestion control such as bbr halves what a loopback or data centre
     * link gives.
     */
    public static IwarpConfig defaults() {
        return new Builder().build();
    }

    /** The defaults, to be changed. */
    public static Builder builder() {
        return new Builder();
    }

    /** A configuration under construction; each setter is named after what it sets. */
    public static final class Builder {
        private QueuePairConfig queuePair = QueuePairConfig.defaults();
        private RnicLimits limits = RnicLimits.defaults();
        private int eventLoopThreads;
        private int maxConnections = 1024;
        private int maxHalfOpenConnections = 512;
        private int maxHalfOpenPerAddress = 128;
        private int maxConnectionsPerAddress = 512;
        private int evictableIdleMillis = 10_000;
        private int connectTimeoutMillis = 10_000;
        private String congestionControl = "cubic";

        private Builder() {}

        public Builder queuePair(QueuePairConfig config) {
            queuePair = config;
            return this;
        }

        public Builder limits(RnicLimits chosen) {
            limits = chosen;
            return this;
        }

        public Builder eventLoopThreads(int threads) {
            eventLoopThreads = threads;
            return this;
        }

        public Builder maxConnections(int connections) {
            maxConnections = connections;
            return this;
        }

        public Builder maxHalfOpenConnections(int connections) {
            maxHalfOpenConnections = connections;
            return this;
        }

        public Builder maxHalfOpenPerAddress(int connections) {
            maxHalfOpenPerAddress = connections;
            return this;
        }

        public Builder maxConnectionsPerAddress(int connections) {
            maxConnectionsPerAddress = connections;
            return this;
        }

        public Builder evictableIdleMillis(int millis) {
            evictableIdleMillis = millis;
            return this;
        }

        public Builder connectTimeoutMillis(int millis) {
            connectTimeoutMillis = millis;
            return this;
        }

        public Builder congestionControl(String name) {
            congestionControl = name;
            return this;
        }

        /**
         * What was chosen.
         *
         * @throws IllegalArgumentException if a number is out of its range
         */
        public IwarpConfig build() {
            return new IwarpConfig(
                    queuePair,
                    limits,
                    eventLoopThreads,
                    maxConnections,
                    maxHalfOpenConnections,
                    maxHalfOpenPerAddress,
                    maxConnectionsPerAddress,
                    evictableIdleMillis,
                    connectTimeoutMillis,
                    congestionControl);
        }
    }
}
