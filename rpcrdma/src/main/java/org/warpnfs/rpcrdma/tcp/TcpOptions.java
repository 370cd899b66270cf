package org.warpnfs.rpcrdma.tcp;

import java.time.Duration;

/**
 * The limits of a TCP listener on each connection, on each client, and on all of them together. A client is a
 * {@link org.warpnfs.limits.ClientAddress}.
 *
 * @param maxRecordBytes the longest call; a connection that announces a longer one is closed. Default 1 MiB + 64 KiB: a
 *     WRITE of 1 MiB in the largest COMPOUND
 * @param maxCallsInFlight the most calls of one connection in flight, from the start of a call until its reply is
 *     taken; at the limit, the connection is not read from. Default 64: the number that a Linux client keeps
 *     outstanding on a fast link
 * @param maxCallsPerClient the same limit for all connections of one client. Default 512: eight busy connections; more
 *     calls would wait for the operation threads anyway
 * @param maxConnections the most connections; at the limit, the longest idle one is closed for a new one. Default 1024:
 *     each needs a descriptor and 64 KiB of receive buffer
 * @param maxConnectionsPerClient the most connections of one client; at the limit, its own longest idle one is closed
 *     for a new one. Default 256: 16 mounts with {@code nconnect=16}, and no client takes more than a quarter
 * @param maxRecordMemoryBytes the most memory of records that are arriving or that programs read; at the limit, records
 *     wait unread. Default 256 MiB: calls of 240 WRITEs of 1 MiB
 * @param maxConnectionRecordBytes the same limit for one connection. Default 32 MiB: more WRITEs than operation threads
 * @param maxUnsentBytes the bytes of replies that the peer has not taken, from which on no more calls of the connection
 *     are started. Default 4 MiB: as much as a socket buffer takes while new replies are made
 * @param maxUnsentBytesPerClient the same limit for all connections of one client. Above it, calls of the client that
 *     have been started do not begin either. Default 32 MiB: eight connections at their limit
 * @param maxUnsentBytesOfAll the limit of all clients together, for replies outside the payload memory; a client may
 *     have as much as is still free. Default 256 MiB: 256 listings of 1 MiB at once
 * @param leastBytesPerSecond the least rate at which a client takes replies and sends the rest of records that it
 *     began, on all its connections that owe bytes, together ({@link org.warpnfs.limits.LineSharers}). Default 32
 *     KiB/s: half of what a line of 512 kbit/s carries, because a peer that is exactly as fast as the least rate would
 *     be late in the end; a record of 1 MiB is held for at most 30 s more than the grace
 * @param grace how long a peer may pause before the rate counts. Default 30 s: a rerouted network works again by then
 * @param firstMessageLimit how long a new connection may be without a complete call. Default 30 s: clients connect
 *     because they have a call to make, and TCP repeats a lost segment many times within that time
 * @param drainGrace the grace while the service drains. Default 2 s: several round trips, well within the time limit of
 *     a stop
 * @param maxBackwardCalls the most calls of ours that are unanswered or untaken: of unanswered ones the oldest are
 *     forgotten, and with that many untaken ones no more are sent. Default 64: as many as calls of the peer
 * @param maxBackwardReplyBytes the longest reply to a call of ours; a longer one closes the connection. Default 64 KiB:
 *     callbacks carry a few hundred bytes
 * @param maxUnexpectedReplies the most records in the life of a connection that claim to be replies but answer none of
 *     our calls; one more closes it. Default 64: room for replies to calls that were forgotten
 * @param maxStartsPerTurn how many calls one connection starts before the other connections of its event loop have
 *     their turn; the same limit applies to replies. Default 32
 * @param eventLoopThreads the number of threads that share the connections. Default: one per processor, at least 2
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
    /** The default limits. */
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

    /** A builder that starts with the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds options. Each setter is named after the option that it sets. */
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
        private int eventLoopThreads = Math.max(2, Runtime.getRuntime().availableProcessors());

        private Builder() {}

        public Builder maxRecordBytes(int most) {
            maxRecordBytes = most;
            return this;
        }

        /** Sets {@link #maxCallsInFlight} of a connection and {@link #maxCallsPerClient}. */
        public Builder maxCalls(int ofConnection, int ofClient) {
            maxCallsInFlight = ofConnection;
            maxCallsPerClient = ofClient;
            return this;
        }

        /** Sets {@link #maxConnections} of all and {@link #maxConnectionsPerClient}. */
        public Builder maxConnections(int inAll, int ofClient) {
            maxConnections = inAll;
            maxConnectionsPerClient = ofClient;
            return this;
        }

        /** Sets {@link #maxRecordMemoryBytes} of all and {@link #maxConnectionRecordBytes}. */
        public Builder maxRecordMemoryBytes(long inAll, long ofConnection) {
            maxRecordMemoryBytes = inAll;
            maxConnectionRecordBytes = ofConnection;
            return this;
        }

        /** Sets {@link #maxUnsentBytes} of a connection and {@link #maxUnsentBytesPerClient}. */
        public Builder maxUnsentBytes(long ofConnection, long ofClient) {
            maxUnsentBytes = ofConnection;
            maxUnsentBytesPerClient = ofClient;
            return this;
        }

        public Builder maxUnsentBytesOfAll(long most) {
            maxUnsentBytesOfAll = most;
            return this;
        }

        /** Sets {@link #leastBytesPerSecond} and the {@link #grace} before it. */
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

        /** Sets {@link #maxBackwardReplyBytes} and {@link #maxUnexpectedReplies}. */
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
