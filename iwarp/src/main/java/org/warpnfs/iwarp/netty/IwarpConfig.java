package org.warpnfs.iwarp.netty;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.mpa.Fpdu;
import org.warpnfs.iwarp.qp.QueuePairConfig;
import org.warpnfs.iwarp.qp.RnicLimits;
import org.warpnfs.limits.FpduSize;

/**
 * The limits and choices of a transport.
 *
 * @param queuePair the configuration of each queue pair
 * @param limits the limits of all connections together
 * @param eventLoopThreads the threads that connections are spread over; 0 for one per processor
 * @param maxConnections the most accepted connections; beyond it the longest idle connection is closed, or the new one
 *     if none is idle
 * @param maxHalfOpenConnections the most half open connections, whose peer has not sent its first message yet; beyond
 *     it the oldest of them is closed
 * @param maxHalfOpenPerAddress the most half open connections of one address, which is an IPv4 address or an IPv6 /64;
 *     more are closed at once, and so are those of an address that has more of them than are still free
 * @param maxConnectionsPerAddress the most connections of one address, with the same rules
 * @param evictableIdleMillis how long a connection must have been idle before it may be closed for another
 * @param connectTimeoutMillis the time for the TCP connection of an initiator
 * @param congestionControl the name of TCP's congestion control, where the platform supports choosing it; empty for the
 *     platform's choice
 * @param fpduSize how long FPDUs to a peer may be, by its address; asked once for each connection. FPDUs to a peer
 *     whose name has not been resolved yet fit TCP segments
 * @param initiatorAddress the local address of an initiator; null to let routing choose
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
        String congestionControl,
        Function<InetAddress, FpduSize> fpduSize,
        @Nullable InetAddress initiatorAddress) {
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
     * The defaults: a thread per processor, and 1024 connections. Of these, 512 may be half open, 512 may be from one
     * address, and 128 may be half open and from one address. No address has more than are still free, so four hostile
     * addresses leave a fifth of all connections to others. A connection may be closed for another after it was idle
     * for 10 s, which is longer than a busy client pauses between two calls. The connect timeout is 10 s. Congestion
     * control is Cubic, because paced congestion control such as bbr halves the throughput of loopback and data centre
     * links. FPDUs fit TCP segments.
     */
    public static IwarpConfig defaults() {
        return new Builder().build();
    }

    /** How long FPDUs to a peer may be. */
    FpduSize fpduSize(InetSocketAddress peer) {
        return peer.isUnresolved() ? FpduSize.MSS : fpduSize.apply(peer.getAddress());
    }

    /** The configuration of a queue pair with such FPDUs. */
    QueuePairConfig queuePair(FpduSize fpdus) {
        int mulpduBytes = fpdus.mostBytes() - Fpdu.LENGTH_BYTES - Fpdu.CRC_BYTES;
        return queuePair.withMulpduBytes(Math.min(queuePair.mulpduBytes(), mulpduBytes));
    }

    /** A builder that starts with the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds a configuration. Each setter is named after the value that it sets. */
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
        private Function<InetAddress, FpduSize> fpduSize = _ -> FpduSize.MSS;
        private @Nullable InetAddress initiatorAddress;

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

        public Builder fpduSize(Function<InetAddress, FpduSize> chosen) {
            fpduSize = chosen;
            return this;
        }

        public Builder initiatorAddress(InetAddress address) {
            initiatorAddress = address;
            return this;
        }

        /**
         * The configuration.
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
                    congestionControl,
                    fpduSize,
                    initiatorAddress);
        }
    }
}
