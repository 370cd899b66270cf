package org.warpnfs.server.limits;

import java.time.Duration;

/**
 * Every number that bounds what clients may make the server hold, with its reason. A client is a
 * {@link org.warpnfs.limits.ClientAddress}. {@link LayerLimits} makes the options of each layer from these,
 * {@link Budgets} fits them to what the process may have, and docs/limits.md says for each what happens at it, what
 * counts it and which tests hold it.
 *
 * <p>What is for all is shared by client addresses: one may hold as much as is still free, so that a newcomer always
 * finds some. The numbers for one client are upper bounds beside that rule.
 *
 * @param connections how many there may be. Those over RDMA and those over TCP are counted apart
 * @param deadlines how long a peer may leave things undone
 * @param streams what an iWARP stream may post and register
 * @param rdma what RPC-over-RDMA holds
 * @param tcp what RPC over TCP holds
 * @param memory what is shared by both
 * @param state what NFSv4 remembers
 */
public record ServerLimits(
        Connections connections, Deadlines deadlines, Streams streams, Rdma rdma, Tcp tcp, Memory memory, State state) {
    /** What the server has where the process has enough. */
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

    /** These, with other payload memory. */
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
     * Connections, once over RDMA and once over TCP. Over RDMA iWARP meets the limits first, as it counts a connection
     * from its first packet; RPC-over-RDMA has the same numbers for providers that have none.
     *
     * @param most 1024: a thousand mounts
     * @param ofClient 256: 16 mounts with {@code nconnect=16}, and no client takes more than a quarter
     * @param halfOpen over RDMA, before the first message. 512: startups of half of all at once, after an outage
     * @param halfOpenOfClient 128: more than one host opens in a burst
     * @param idleBeforeEviction over RDMA, how long one is idle before its place can be had by a newcomer. 10 s: longer
     *     than a client at work rests between two calls
     */
    public record Connections(int most, int ofClient, int halfOpen, int halfOpenOfClient, Duration idleBeforeEviction) {
        static final Connections DEFAULT = new Connections(1024, 256, 512, 128, Duration.ofSeconds(10));

        /** As many as {@code number}, and the others in proportion. */
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
     * Deadlines that mean progress: bytes have to move at a rate; one byte now and then is none.
     *
     * @param startup from the TCP connection to the end of the MPA startup. 10 s: TCP repeats a lost segment a few
     *     times within it
     * @param firstMessage from there to the first whole message. 30 s: clients connect because they have a call to make
     * @param grace how long a peer may pause in a record, in RDMA Reads or in taking replies, before the rate counts.
     *     30 s: a network that is rerouted is back by then
     * @param leastBytesPerSecond the rate, of a client's line. 32 KiB/s: half of what a line of 512 kbit/s carries; the
     *     longest call takes 34 s at it
     * @param backwardReply how long a call of the server's may be unanswered on a client's RDMA connection. 30 s: a
     *     third of a lease
     * @param draining replaces {@code grace} while the server stops. 2 s: who is gone shall not use up the time of
     *     others
     * @param close from the decision to end an iWARP stream to its end. 5 s: several round trips on any network
     * @param leastBytesPerSecondClosing while a stream parts. 16 KiB/s: what a line of 128 kbit/s carries
     * @param exposedReply how long RDMA_DONE may take, with {@code --read-replies}. 60 s: two graces
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
     * iWARP streams. All of it is far above what RPC-over-RDMA asks for, which has limits of its own that are met
     * first: these bound what a defect of ours could take.
     *
     * @param sendQueueDepth of a stream. 4096: sixteen times what the responder posts
     * @param receiveQueueDepth of a stream. 4096: thirty times its credits
     * @param receiveBytes of a stream. 1 GiB
     * @param regions of a stream. 4096: a region for each RDMA Read and exposed reply
     * @param registeredBytes of a stream. 8 GiB
     * @param inboundReads RDMA Reads that a peer may have outstanding on a stream. 1024; the responder offers 0, or 8
     *     with {@code --read-replies}
     * @param outstandingReads of ours on a stream. 1024; the responder asks for {@code rdma.ord}
     * @param receivesOfAll 1,048,576: 1024 to a connection
     * @param receiveBytesOfAll 8 GiB
     * @param registeredBytesOfAll 64 GiB
     * @param inboundReadsOfAll 65,536: 64 to a connection
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
     * RPC-over-RDMA.
     *
     * @param inlineBytes the largest message, and a receive buffer. 4096: what Linux asks for
     * @param credits calls of a connection, answers that have not left included. 64: as many as Linux keeps outstanding
     * @param maxCredits what a busy connection grows to. 128: Linux asks for no more
     * @param runningCalls of a connection at once. 64: its credits
     * @param postedWork work requests of a connection. 256: a reply in Write chunks and a Send for each credit
     * @param ord RDMA Reads of a connection. 16: what Linux gives
     * @param receiveBuffers of all. 65,536: all connections at half their credits
     * @param receiveBuffersOfClient 16,384: a quarter
     * @param heldBytes memory of a connection in pulled chunks, and again in its replies. 64 MiB: its credits with 1
     *     MiB each
     * @param replyBytes of all, for replies outside the payload memory. 256 MiB: 256 listings of 1 MiB at once
     * @param replyBytesOfClient 64 MiB: a quarter
     * @param backwardCalls of ours that a connection leaves unanswered. 2: a recall and one more; others wait
     * @param exposedReplies of a connection, with {@code --read-replies}. 8: an RDMA Read each
     * @param exposedBytes of a connection. 8 MiB: each of the largest size
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

        /** A client has a quarter of either, as far as one reply of the largest size allows. */
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
     * RPC over TCP.
     *
     * @param recordBytes the longest call. 1,114,112 (1 MiB + 64 KiB): a WRITE of 1 MiB in the largest COMPOUND
     * @param callsInFlight of a connection, replies not taken included. 64: what a Linux client keeps outstanding on a
     *     fast link
     * @param callsInFlightOfClient 512: eight busy connections
     * @param recordMemoryBytes of all, for records that are coming or being read. 256 MiB: 240 WRITEs of 1 MiB
     * @param recordMemoryBytesOfConnection 32 MiB: more WRITEs than operation threads
     * @param unsentBytes of replies that a connection has not taken, above which it starts no call. 4 MiB: as much as a
     *     socket buffer takes meanwhile
     * @param unsentBytesOfClient 32 MiB: eight connections at their mark. Above it no call of the client's begins
     *     either, though it has been started
     * @param unsentBytesOfAll for replies outside the payload memory. 256 MiB: 256 listings of 1 MiB at once
     * @param backwardCalls of ours that a connection leaves unanswered before the oldest is forgotten. 64: as many as
     *     calls of its
     * @param backwardReplyBytes the longest reply to them. 64 KiB: callbacks carry a few hundred bytes
     * @param unexpectedReplies records that claim to be replies and are none, in the life of a connection. 64: replies
     *     to calls that were forgotten
     * @param startsPerTurn calls that a connection starts before others have their turn. 32: some hundred microseconds
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
     * What both transports and all programs share.
     *
     * @param payloadBytes file data in flight; {@code --payload-memory}. 256 MiB: 240 transfers of 1 MiB
     * @param transferBytes the largest transfer, and what a long COMPOUND adds to it. 1,114,112 (1 MiB + 64 KiB): the
     *     most that Linux asks for
     * @param keptReplyBytes replies to calls without a session, for when they are repeated. 32 MiB: about 70,000,
     *     minutes of a busy server
     * @param idleFiles descriptors that stay open of files that nobody has open. 1024: the files that a build looks at
     *     again and again
     */
    public record Memory(long payloadBytes, int transferBytes, long keptReplyBytes, int idleFiles) {
        static final Memory DEFAULT = new Memory(256 * MIB, 1024 * KIB + 64 * KIB, 32 * MIB, 1024);

        Memory with(long payload, long keptReplies, int files) {
            return new Memory(payload, transferBytes, keptReplies, files);
        }
    }

    /**
     * What NFSv4 clients make the server remember.
     *
     * @param clients 8192: 4000 clients behind one address, which has half
     * @param sessions 8192: one for each client
     * @param sessionsOfClient 16: Linux makes one
     * @param slots of a session. 64: as many as Linux asks for
     * @param connectionsOfSession remembered as bound to it. 64: four times {@code nconnect=16}
     * @param operations of a COMPOUND. 64: Linux makes some ten
     * @param keptReplyBytes the longest reply of a slot that is kept. 8 KiB: Linux asks for 7584 bytes
     * @param keptRepliesBytes of all slots but the first of each session. 32 MiB: 80,000 usual ones
     * @param opens 65,536: descriptors of the backend
     * @param opensOfClient 16,384: a quarter
     * @param locks byte ranges, and again lock stateids. 262,144: 64 MiB
     * @param locksOfClient 32,768: splitting all of them takes some 20 ms
     * @param lockOwnersOfOpen 1024: processes that lock through one open
     * @param delegations 16,384: a quarter of the opens; never an error
     * @param courtesyLeases leases that a silent client keeps its state while nobody wants it. 960: a day of 90 s
     *     leases
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

        /** The part {@code of / whole} of all records. */
        State scaled(long of, long whole, long replies, int mostOpens) {
            int someOpens = Math.min(scaled(opens, of, whole), mostOpens);
            int someLocks = scaled(locks, of, whole);
            return new State(
                    scaled(clients, of, whole),
                    scaled(sessions, of, whole),
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
                    scaled(delegations, of, whole),
                    courtesyLeases);
        }

        private static int scaled(int number, long of, long whole) {
            return (int) Math.max(1, of >= whole ? number : number * ((double) of / whole));
        }
    }
}
