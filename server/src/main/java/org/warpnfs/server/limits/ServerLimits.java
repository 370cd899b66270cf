package org.warpnfs.server.limits;

import java.time.Duration;

/**
 * All limits of what clients may make the server hold, with their reasons. A client is a
 * {@link org.warpnfs.limits.ClientAddress}. {@link LayerLimits} converts these limits to the options of each layer, and
 * {@link Budgets} fits them to the process. docs/limits.md says for each limit what happens when it is reached, which
 * counters show it and which tests check it.
 *
 * <p>Client addresses share the limits of the server: each may hold as much as is still free, so that a newcomer always
 * finds something. The limits for one client are upper bounds beside that rule.
 *
 * @param connections limits of connections; those over RDMA and over TCP are counted separately
 * @param deadlines how long the server waits for a peer
 * @param streams what an iWARP stream may post and register
 * @param rdma what RPC-over-RDMA holds
 * @param tcp what RPC over TCP holds
 * @param memory what both transports share
 * @param state what NFSv4 remembers
 */
public record ServerLimits(
        Connections connections, Deadlines deadlines, Streams streams, Rdma rdma, Tcp tcp, Memory memory, State state) {
    /** The limits of a process with enough resources. */
    public static final ServerLimits DEFAULT = new ServerLimits(
            Connections.DEFAULT,
            Deadlines.DEFAULT,
            Streams.DEFAULT,
            Rdma.DEFAULT,
            Tcp.DEFAULT,
            Memory.DEFAULT,
            State.DEFAULT);

    private static final int KIB = 1 << 10;
    private static final long MIB = 1 << 20;
    private static final long GIB = 1 << 30;

    /** Returns these limits with another size of payload memory. */
    public ServerLimits withPayloadBytes(long bytes) {
        return new ServerLimits(
                connections,
                deadlines,
                streams,
                rdma,
                tcp,
                memory.with(bytes, memory.keptReplyBytes(), memory.idleFiles()),
                state);
    }

    /**
     * Limits of connections, separately for RDMA and TCP. Over RDMA the limits of iWARP apply first, since it counts a
     * connection from its first packet; RPC-over-RDMA has the same limits for providers of verbs without limits.
     *
     * @param most 1024: a thousand mounts
     * @param ofClient 256: 16 mounts with {@code nconnect=16}, and no client takes more than a quarter
     * @param halfOpen over RDMA, before the first message. 512: half of all connections starting up after an outage
     * @param halfOpenOfClient 128: more than one host opens in a burst
     * @param idleBeforeEviction over RDMA, how long a connection must be idle before a newcomer may take its place. 10
     *     s: longer than an active client pauses between two calls
     */
    public record Connections(int most, int ofClient, int halfOpen, int halfOpenOfClient, Duration idleBeforeEviction) {
        static final Connections DEFAULT = new Connections(1024, 256, 512, 128, Duration.ofSeconds(10));

        /** Returns limits for {@code number} connections, with the others in proportion. */
        Connections of(int number) {
            return number >= most
                    ? this
                    : new Connections(
                            number,
                            Math.max(1, (int) ((long) ofClient * number / most)),
                            Math.max(1, (int) ((long) halfOpen * number / most)),
                            Math.max(1, (int) ((long) halfOpenOfClient * number / most)),
                            idleBeforeEviction);
        }
    }

    /**
     * Deadlines that require progress: bytes must move at a minimum rate, and a byte now and then is not enough.
     *
     * @param startup from the TCP connection to the end of the MPA startup. 10 s: TCP retransmits a lost segment a few
     *     times in this time
     * @param firstMessage from there to the first whole message. 30 s: clients connect because they have a call to make
     * @param grace how long a peer may pause in a record, in RDMA Reads or in reading replies, before the rate applies.
     *     30 s: enough for a network to be rerouted
     * @param leastBytesPerSecond the minimum rate of a client's line. 32 KiB/s: half of what a line of 512 kbit/s
     *     carries; the longest call takes 34 s at this rate
     * @param backwardReply how long a callback on a client's RDMA connection may stay unanswered. 30 s: a third of a
     *     lease
     * @param draining replaces {@code grace} while the server stops. 2 s: a dead peer must not use up the time of
     *     others
     * @param close from the decision to end an iWARP stream to its end. 5 s: several round trips on any network
     * @param leastBytesPerSecondClosing the minimum rate while a stream closes. 16 KiB/s: what a line of 128 kbit/s
     *     carries
     * @param exposedReply how long RDMA_DONE may take, with {@code --read-replies}. 60 s: twice the grace
     */
    public record Deadlines(
            Duration startup,
            Duration firstMessage,
            Duration grace,
            long leastBytesPerSecond,
            Duration backwardReply,
            Duration draining,
            Duration close,
            long leastBytesPerSecondClosing,
            Duration exposedReply) {
        static final Deadlines DEFAULT = new Deadlines(
                Duration.ofSeconds(10),
                Duration.ofSeconds(30),
                Duration.ofSeconds(30),
                32L * KIB,
                Duration.ofSeconds(30),
                Duration.ofSeconds(2),
                Duration.ofSeconds(5),
                16L * KIB,
                Duration.ofSeconds(60));
    }

    /**
     * Limits of iWARP streams. They are far above the needs of RPC-over-RDMA, whose own limits apply first; they bound
     * the effect of a defect.
     *
     * @param sendQueueDepth of a stream. 4096: sixteen times what the responder posts
     * @param receiveQueueDepth of a stream. 4096: thirty times its credits
     * @param receiveBytes of a stream. 1 GiB
     * @param regions of a stream. 4096: a region for each RDMA Read and exposed reply
     * @param registeredBytes of a stream. 8 GiB
     * @param inboundReads the RDMA Reads that a peer may have outstanding on a stream. 1024; the responder offers 0, or
     *     8 with {@code --read-replies}
     * @param outstandingReads the RDMA Reads that the server may have outstanding on a stream. 1024; the responder asks
     *     for {@code rdma.ord}
     * @param receivesOfAll 1,048,576: 1024 for each connection
     * @param receiveBytesOfAll 8 GiB
     * @param registeredBytesOfAll 64 GiB
     * @param inboundReadsOfAll 65,536: 64 for each connection
     */
    public record Streams(
            int sendQueueDepth,
            int receiveQueueDepth,
            long receiveBytes,
            int regions,
            long registeredBytes,
            int inboundReads,
            int outstandingReads,
            int receivesOfAll,
            long receiveBytesOfAll,
            long registeredBytesOfAll,
            int inboundReadsOfAll) {
        static final Streams DEFAULT =
                new Streams(4096, 4096, GIB, 4096, 8 * GIB, 1024, 1024, 1 << 20, 8 * GIB, 64 * GIB, 65_536);
    }

    /**
     * Limits of RPC-over-RDMA.
     *
     * @param inlineBytes the size of the largest message and of a receive buffer. 4096: what Linux asks for
     * @param credits calls of a connection, including unsent replies. 64: as many as Linux keeps outstanding
     * @param maxCredits the credits that a busy connection can grow to. 128: Linux asks for no more
     * @param runningCalls calls of a connection that run at once. 64: its credits
     * @param postedWork work requests of a connection. 256: a reply in Write chunks and a Send for each credit
     * @param ord RDMA Reads of a connection. 16: what Linux accepts
     * @param receiveBuffers of all. 65,536: all connections at half their credits
     * @param receiveBuffersOfClient 16,384: a quarter
     * @param heldBytes memory of a connection for arguments from Read chunks, and as much again for its replies. 64
     *     MiB: 1 MiB for each credit
     * @param replyBytes for the replies of all connections outside the payload memory. 256 MiB: 256 listings of 1 MiB
     *     at once
     * @param replyBytesOfClient 64 MiB: a quarter
     * @param backwardCalls unanswered callbacks of a connection. 2: a recall and one more; others wait
     * @param exposedReplies exposed replies of a connection, with {@code --read-replies}. 8: one RDMA Read each
     * @param exposedBytes bytes of a connection's exposed replies. 8 MiB: 1 MiB for each reply
     * @param exposedBytesOfClient 64 MiB: eight connections
     * @param exposedBytesOfAll 256 MiB: four clients
     */
    public record Rdma(
            int inlineBytes,
            int credits,
            int maxCredits,
            int runningCalls,
            int postedWork,
            int ord,
            long receiveBuffers,
            long receiveBuffersOfClient,
            long heldBytes,
            long replyBytes,
            long replyBytesOfClient,
            int backwardCalls,
            int exposedReplies,
            long exposedBytes,
            long exposedBytesOfClient,
            long exposedBytesOfAll) {
        static final Rdma DEFAULT = new Rdma(
                4096, 64, 128, 64, 256, 16, 65_536, 16_384, 64 * MIB, 256 * MIB, 64 * MIB, 2, 8, 8 * MIB, 64 * MIB,
                256 * MIB);

        Rdma withReceiveBuffers(long number) {
            return new Rdma(
                    inlineBytes,
                    credits,
                    maxCredits,
                    runningCalls,
                    postedWork,
                    ord,
                    number,
                    Math.max(1, Math.min(receiveBuffersOfClient, number / 4)),
                    heldBytes,
                    replyBytes,
                    replyBytesOfClient,
                    backwardCalls,
                    exposedReplies,
                    exposedBytes,
                    exposedBytesOfClient,
                    exposedBytesOfAll);
        }

        /**
         * Returns these limits with other totals. A client gets a quarter of each, but at least one reply of the
         * largest size.
         */
        Rdma withReplyBytes(long bytes, long exposed) {
            return new Rdma(
                    inlineBytes,
                    credits,
                    maxCredits,
                    runningCalls,
                    postedWork,
                    ord,
                    receiveBuffers,
                    receiveBuffersOfClient,
                    heldBytes,
                    bytes,
                    Math.max(Math.min(bytes, 2 * MIB), Math.min(replyBytesOfClient, bytes / 4)),
                    backwardCalls,
                    exposedReplies,
                    exposedBytes,
                    Math.max(Math.min(exposed, 2 * MIB), Math.min(exposedBytesOfClient, exposed / 4)),
                    exposed);
        }
    }

    /**
     * Limits of RPC over TCP.
     *
     * @param recordBytes the longest call. 1,114,112 (1 MiB + 64 KiB): a WRITE of 1 MiB in the largest COMPOUND
     * @param callsInFlight calls of a connection, including unread replies. 64: what a Linux client keeps outstanding
     *     on a fast link
     * @param callsInFlightOfClient 512: eight busy connections
     * @param recordMemoryBytes bytes of all records that are arriving or being read. 256 MiB: 240 WRITEs of 1 MiB
     * @param recordMemoryBytesOfConnection 32 MiB: more WRITEs than operation threads
     * @param unsentBytes bytes of unread replies of a connection, above which it starts no call. 4 MiB: as much as a
     *     socket buffer takes meanwhile
     * @param unsentBytesOfClient 32 MiB: eight connections at their mark. Above it calls of the client that have been
     *     started do not begin either
     * @param unsentBytesOfAll bytes of all unread replies outside the payload memory. 256 MiB: 256 listings of 1 MiB at
     *     once
     * @param backwardCalls unanswered callbacks of a connection, above which the oldest is forgotten. 64: as many as
     *     calls of a connection
     * @param backwardReplyBytes the longest reply to a callback. 64 KiB: callbacks carry a few hundred bytes
     * @param unexpectedReplies replies to no callback, in the life of a connection. 64: late replies to forgotten
     *     callbacks
     * @param startsPerTurn calls that a connection starts before other connections have their turn. 32: some hundred
     *     microseconds
     */
    public record Tcp(
            int recordBytes,
            int callsInFlight,
            int callsInFlightOfClient,
            long recordMemoryBytes,
            long recordMemoryBytesOfConnection,
            long unsentBytes,
            long unsentBytesOfClient,
            long unsentBytesOfAll,
            int backwardCalls,
            int backwardReplyBytes,
            int unexpectedReplies,
            int startsPerTurn) {
        static final Tcp DEFAULT = new Tcp(
                1024 * KIB + 64 * KIB,
                64,
                512,
                256 * MIB,
                32 * MIB,
                4 * MIB,
                32 * MIB,
                256 * MIB,
                64,
                64 * KIB,
                64,
                32);

        Tcp with(long recordMemory, long unsentOfAll) {
            return new Tcp(
                    recordBytes,
                    callsInFlight,
                    callsInFlightOfClient,
                    recordMemory,
                    Math.max(recordBytes, Math.min(recordMemoryBytesOfConnection, recordMemory / 2)),
                    unsentBytes,
                    unsentBytesOfClient,
                    unsentOfAll,
                    backwardCalls,
                    backwardReplyBytes,
                    unexpectedReplies,
                    startsPerTurn);
        }
    }

    /**
     * Limits that both transports and all programs share.
     *
     * @param payloadBytes file data in flight; {@code --payload-memory}. 256 MiB: 240 transfers of 1 MiB
     * @param transferBytes the largest transfer, including the rest of a long COMPOUND. 1,114,112 (1 MiB + 64 KiB): the
     *     largest transfer of Linux
     * @param keptReplyBytes replies to calls without a session, kept for repeated calls. 32 MiB: about 70,000 replies,
     *     minutes of a busy server
     * @param idleFiles open descriptors for files that no client has open. 1024: the files that a build reads
     *     repeatedly
     */
    public record Memory(long payloadBytes, int transferBytes, long keptReplyBytes, int idleFiles) {
        static final Memory DEFAULT = new Memory(256 * MIB, 1024 * KIB + 64 * KIB, 32 * MIB, 1024);

        Memory with(long payload, long keptReplies, int files) {
            return new Memory(payload, transferBytes, keptReplies, files);
        }
    }

    /**
     * Limits of NFSv4 state.
     *
     * @param clients 8192: 4000 clients behind one address, which has half
     * @param sessions 8192: one for each client
     * @param sessionsOfClient 16: Linux makes one
     * @param slots of a session. 64: as many as Linux asks for
     * @param connectionsOfSession connections remembered as bound to a session. 64: four times {@code nconnect=16}
     * @param operations of a COMPOUND. 64: Linux makes some ten
     * @param keptReplyBytes the longest reply that a slot keeps. 8 KiB: Linux asks for 7584 bytes
     * @param keptRepliesBytes bytes of the kept replies of all slots but the first of each session. 32 MiB: 80,000
     *     usual replies
     * @param opens 65,536: descriptors of the backend
     * @param opensOfClient 16,384: a quarter
     * @param locks locked byte ranges, and as many lock stateids. 262,144: 64 MiB
     * @param locksOfClient 32,768: splitting all of them takes some 20 ms
     * @param lockOwnersOfOpen 1024: processes that lock through one open
     * @param delegations 16,384: a quarter of the opens; beyond it none is granted, which is never an error
     * @param courtesyLeases the number of leases for which a silent client keeps its state, unless another client needs
     *     it. 960: a day of leases of 90 s
     */
    public record State(
            int clients,
            int sessions,
            int sessionsOfClient,
            int slots,
            int connectionsOfSession,
            int operations,
            int keptReplyBytes,
            long keptRepliesBytes,
            int opens,
            int opensOfClient,
            int locks,
            int locksOfClient,
            int lockOwnersOfOpen,
            int delegations,
            int courtesyLeases) {
        static final State DEFAULT = new State(
                8192, 8192, 16, 64, 64, 64, 8 * KIB, 32 * MIB, 65_536, 16_384, 262_144, 32_768, 1024, 16_384, 960);

        /**
         * Returns these limits scaled.
         *
         * @param ofFiles the part that opens, locks and delegations may have
         * @param ofClients the part that clients and sessions may have
         */
        State scaled(double ofFiles, double ofClients, long replies, int mostOpens) {
            int someOpens = Math.min(scaled(opens, ofFiles), mostOpens);
            int someLocks = scaled(locks, ofFiles);
            return new State(
                    scaled(clients, ofClients),
                    scaled(sessions, ofClients),
                    sessionsOfClient,
                    slots,
                    connectionsOfSession,
                    operations,
                    keptReplyBytes,
                    replies,
                    someOpens,
                    Math.min(opensOfClient, Math.max(1, someOpens / 2)),
                    someLocks,
                    Math.min(locksOfClient, Math.max(1, someLocks / 2)),
                    lockOwnersOfOpen,
                    scaled(delegations, ofFiles),
                    courtesyLeases);
        }

        private static int scaled(int number, double part) {
            return (int) Math.max(1, number * Math.min(1, part));
        }
    }
}
