package org.warpnfs.rpcrdma.tcp;

import java.time.Duration;

/**
 * What a TCP listener gives its connections, the clients behind them, and all of them together. A client is a
 * {@link org.warpnfs.limits.ClientAddress}.
 *
 * @param maxRecordBytes the longest call; a connection that announces a longer one is closed. Default 1 MiB + 64 KiB: a
 *     WRITE of 1 MiB in the largest COMPOUND
 * @param maxCallsInFlight of one connection, from its start until its reply is taken; beyond, the connection is not
 *     read from. Default 64: what a Linux client keeps outstanding on a fast link
 * @param maxCallsPerClient the same for all connections of one client. Default 512: eight busy connections; more would
 *     wait for the operation threads anyhow
 * @param maxConnections the longest idle one is closed for a newcomer beyond. Default 1024: a descriptor and 64 KiB of
 *     receive buffer each
 * @param maxConnectionsPerClient of one client; its own longest idle one is closed for a newcomer beyond. Default 256:
 *     16 mounts with {@code nconnect=16}, and no client takes more than a quarter
 * @param maxRecordMemoryBytes of records that are coming or that programs read; beyond, records wait unread. Default
 *     256 MiB: calls of 240 WRITEs of 1 MiB
 * @param maxConnectionRecordBytes the same for one connection. Default 32 MiB: more WRITEs than operation threads
 * @param maxUnsentBytes of replies that the peer has not taken, above which no more calls of the connection are
 *     started. Default 4 MiB: as much as a socket buffer takes while new replies are made
 * @param maxUnsentBytesPerClient the same for all connections of one client. Default 32 MiB: eight connections at their
 *     mark. A client that is above it begins no call either, though it has been started
 * @param maxUnsentBytesOfAll of all clients, for replies outside the payload memory; a client has as much as is free.
 *     Default 256 MiB: 256 listings of 1 MiB at once
 * @param leastBytesPerSecond at which a client takes replies and delivers records that it began, by all its connections
 *     that owe bytes ({@link org.warpnfs.limits.LineSharers}). Default 32 KiB/s: half of what a line of 512 kbit/s
 *     gives, since a peer that is just as fast as this would be late in the end; a record of 1 MiB is held for 30 s
 *     more than the grace
 * @param grace how long a peer may pause before that. Default 30 s: a network that is rerouted is back by then
 * @param firstMessageLimit how long a new connection may be without a whole call. Default 30 s: clients connect because
 *     they have a call to make, and TCP repeats a lost segment many times within it
 * @param drainGrace what the grace is while the service drains. Default 2 s: several round trips, well within the time
 *     that a stop is given
 * @param maxBackwardCalls calls of ours that a peer may leave unanswered, or untaken, before the oldest are forgotten,
 *     or no more are sent. Default 64: as many as calls of its
 * @param maxBackwardReplyBytes the longest reply to them; a longer one closes the connection. Default 64 KiB: callbacks
 *     carry a few hundred bytes
 * @param maxUnexpectedReplies records that claim to be replies and are to none of our calls, in the life of a
 *     connection; one more closes it. Default 64: room for replies to calls that were forgotten
 * @param maxStartsPerTurn calls that one connection starts before others of its event loop have their turn; as many
 *     replies again. Default 32
 * @param eventLoopThreads that share the connections. Default 2
 */
public record TcpOptions(
        int maxRecordBytes,
        int maxCallsInFlight,
        int maxCallsPerClient,
        int maxConnections,
        int maxConnectionsPerClient,
        long maxRecordMemoryBytes,
        long maxConnectionRecordBytes,
        long maxUnsentBytes,
        long maxUnsentBytesPerClient,
        long maxUnsentBytesOfAll,
        long leastBytesPerSecond,
        Duration grace,
        Duration firstMessageLimit,
        Duration drainGrace,
        int maxBackwardCalls,
        int maxBackwardReplyBytes,
        int maxUnexpectedReplies,
        int maxStartsPerTurn,
        int eventLoopThreads) {
    /** Every default. */
    public static final TcpOptions DEFAULT = builder().build();

    public TcpOptions {
        if (maxRecordBytes < 1024 || maxRecordMemoryBytes < maxRecordBytes || maxBackwardReplyBytes < 1024) {
            throw new IllegalArgumentException("a length limit of the TCP listener is below what one call needs");
        }
        if (maxCallsInFlight < 1 || maxCallsPerClient < 1 || maxConnections < 1 || maxConnectionsPerClient < 1) {
            throw new IllegalArgumentException("a limit of the TCP listener is below one call on one connection");
        }
        if (maxConnectionRecordBytes < 1
                || maxUnsentBytes < 1
                || maxUnsentBytesPerClient < 1
                || maxUnsentBytesOfAll < 1) {
            throw new IllegalArgumentException("a byte limit of the TCP listener lets nothing through");
        }
        if (leastBytesPerSecond < 1 || maxBackwardCalls < 1 || maxUnexpectedReplies < 0) {
            throw new IllegalArgumentException("a limit of the TCP listener on its peers is not positive");
        }
        if (maxStartsPerTurn < 1 || eventLoopThreads < 1) {
            throw new IllegalArgumentException("the TCP listener needs an event loop and a call for each turn");
        }
    }

    /** The defaults, to be changed. */
    public static Builder builder() {
        return new Builder();
    }

    /** Options under construction; each setter is named after what it sets. */
    public static final class Builder {
        private int maxRecordBytes = (1 << 20) + (64 << 10);
        private int maxCallsInFlight = 64;
        private int maxCallsPerClient = 512;
        private int maxConnections = 1024;
        private int maxConnectionsPerClient = 256;
        private long maxRecordMemoryBytes = 256 << 20;
        private long maxConnectionRecordBytes = 32 << 20;
        private long maxUnsentBytes = 4 << 20;
        private long maxUnsentBytesPerClient = 32 << 20;
        private long maxUnsentBytesOfAll = 256 << 20;
        private long leastBytesPerSecond = 32 << 10;
        private Duration grace = Duration.ofSeconds(30);
        private Duration firstMessageLimit = Duration.ofSeconds(30);
        private Duration drainGrace = Duration.ofSeconds(2);
        private int maxBackwardCalls = 64;
        private int maxBackwardReplyBytes = 64 << 10;
        private int maxUnexpectedReplies = 64;
        private int maxStartsPerTurn = 32;
        private int eventLoopThreads = 2;

        private Builder() {}

        public Builder maxRecordBytes(int most) {
            maxRecordBytes = most;
            return this;
        }

        /** Both: {@link #maxCallsInFlight} of a connection and {@link #maxCallsPerClient}. */
        public Builder maxCalls(int ofConnection, int ofClient) {
            maxCallsInFlight = ofConnection;
            maxCallsPerClient = ofClient;
            return this;
        }

        /** Both: {@link #maxConnections} in all and {@link #maxConnectionsPerClient}. */
        public Builder maxConnections(int inAll, int ofClient) {
            maxConnections = inAll;
            maxConnectionsPerClient = ofClient;
            return this;
        }

        /** Both: {@link #maxRecordMemoryBytes} in all and {@link #maxConnectionRecordBytes}. */
        public Builder maxRecordMemoryBytes(long inAll, long ofConnection) {
            maxRecordMemoryBytes = inAll;
            maxConnectionRecordBytes = ofConnection;
            return this;
        }

        /** Both: {@link #maxUnsentBytes} of a connection and {@link #maxUnsentBytesPerClient}. */
        public Builder maxUnsentBytes(long ofConnection, long ofClient) {
            maxUnsentBytes = ofConnection;
            maxUnsentBytesPerClient = ofClient;
            return this;
        }

        public Builder maxUnsentBytesOfAll(long most) {
            maxUnsentBytesOfAll = most;
            return this;
        }

        /** Both: {@link #leastBytesPerSecond} and the {@link #grace} before it. */
        public Builder leastRate(long bytesPerSecond, Duration pause) {
            leastBytesPerSecond = bytesPerSecond;
            grace = pause;
            return this;
        }

        public Builder firstMessageLimit(Duration limit) {
            firstMessageLimit = limit;
            return this;
        }

        public Builder drainGrace(Duration pause) {
            drainGrace = pause;
            return this;
        }

        public Builder maxBackwardCalls(int most) {
            maxBackwardCalls = most;
            return this;
        }

        /** Both: {@link #maxBackwardReplyBytes} and {@link #maxUnexpectedReplies}. */
        public Builder backwardReplies(int mostBytes, int mostUnexpected) {
            maxBackwardReplyBytes = mostBytes;
            maxUnexpectedReplies = mostUnexpected;
            return this;
        }

        public Builder maxStartsPerTurn(int most) {
            maxStartsPerTurn = most;
            return this;
        }

        public Builder eventLoopThreads(int threads) {
            eventLoopThreads = threads;
            return this;
        }

        public TcpOptions build() {
            return new TcpOptions(
                    maxRecordBytes,
                    maxCallsInFlight,
                    maxCallsPerClient,
                    maxConnections,
                    maxConnectionsPerClient,
                    maxRecordMemoryBytes,
                    maxConnectionRecordBytes,
                    maxUnsentBytes,
                    maxUnsentBytesPerClient,
                    maxUnsentBytesOfAll,
                    leastBytesPerSecond,
                    grace,
                    firstMessageLimit,
                    drainGrace,
                    maxBackwardCalls,
                    maxBackwardReplyBytes,
                    maxUnexpectedReplies,
                    maxStartsPerTurn,
                    eventLoopThreads);
        }
    }
}
