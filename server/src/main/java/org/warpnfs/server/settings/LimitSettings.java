package org.warpnfs.server.settings;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.warpnfs.server.limits.LimitValues;
import org.warpnfs.server.limits.ServerLimits;

/**
 * The limits as settings: the bounds of each component of {@link ServerLimits}. Defaults are those of
 * {@link ServerLimits#DEFAULT}.
 *
 * <p>The lower bound of each is enough for one ordinary client; the upper bound follows from the type and from the
 * memory of large hosts. Limits that follow from protocols and cannot be changed are only in docs/limits.md, as fixed.
 */
final class LimitSettings {
    static final String PREFIX = "limits.";

    private static final long KIB = 1 << 10;
    private static final long MIB = 1 << 20;
    private static final long GIB = 1 << 30;
    /** A call with a transfer of 1 MiB, the size that the server tells clients to use, in the largest COMPOUND. */
    private static final long CALL_BYTES = MIB + 64 * KIB;

    private static final Kind.Whole CONNECTIONS = new Kind.Whole(1, 65_535);
    private static final Kind.Time PATIENCE = new Kind.Time(Duration.ofMillis(100), Duration.ofMinutes(10));
    private static final Kind.Bytes RATE = new Kind.Bytes(KIB, GIB, 1);
    private static final Kind.Whole RECORDS = new Kind.Whole(16, 16L << 20);

    private final Map<String, Object> defaults = LimitValues.of(ServerLimits.DEFAULT);
    private final List<Setting<?>> rows = new ArrayList<>();

    private final Setting<Long> payloadMemory;

    private LimitSettings(Setting<Long> payloadMemory) {
        this.payloadMemory = payloadMemory;
    }

    /**
     * All limits, in the order of {@link ServerLimits}.
     *
     * @param payloadMemory the row of the limit that is also an option
     */
    static List<Setting<?>> all(Setting<Long> payloadMemory) {
        return new LimitSettings(payloadMemory).all();
    }

    private <T> void row(String name, Kind<T> kind, String about, String reason) {
        @SuppressWarnings("unchecked") // Durations are times, and all else is Long
        T standard = (T) Objects.requireNonNull(defaults.get(name), name);
        rows.add(Setting.of(PREFIX + name, kind, standard, about).because(reason));
    }

    private List<Setting<?>> all() {
        connections();
        deadlines();
        streams();
        rdma();
        tcp();
        memory();
        state();
        return List.copyOf(rows);
    }

    private void connections() {
        row(
                "connections.most",
                new Kind.Whole(16, 65_535),
                "Connections over RDMA, and as many over TCP.",
                "a thousand mounts");
        row(
                "connections.ofClient",
                CONNECTIONS,
                "Of these, those of one client address.",
                "16 mounts with nconnect=16");
        row(
                "connections.halfOpen",
                CONNECTIONS,
                "Over RDMA, those before their first message.",
                "half of all connections starting up after an outage");
        row(
                "connections.halfOpenOfClient",
                CONNECTIONS,
                "Of these, those of one client address.",
                "more than one host opens in a burst");
        row(
                "connections.idleBeforeEviction",
                PATIENCE,
                "Over RDMA, how long a connection must be idle before a newcomer may take its place.",
                "longer than an active client pauses");
    }

    private void deadlines() {
        row(
                "deadlines.startup",
                PATIENCE,
                "Over RDMA, from the TCP connection to the end of the MPA startup.",
                "TCP retransmits a lost segment a few times in this time");
        row(
                "deadlines.firstMessage",
                PATIENCE,
                "From there to the first whole message.",
                "clients connect because they have a call to make");
        row(
                "deadlines.grace",
                PATIENCE,
                "How long a peer may pause in a record, in RDMA Reads or in reading replies, before the minimum "
                        + "rate applies.",
                "enough for a network to be rerouted");
        row(
                "deadlines.leastBytesPerSecond",
                RATE,
                "The minimum rate of a client's line, in bytes per second.",
                "half of what a line of 512 kbit/s carries");
        row(
                "deadlines.backwardReply",
                PATIENCE,
                "How long a callback on an RDMA connection may stay unanswered.",
                "a third of a lease");
        row(
                "deadlines.draining",
                PATIENCE,
                "Replaces the grace while the server stops.",
                "a dead peer must not use up the time of others");
        row(
                "deadlines.close",
                PATIENCE,
                "From the decision to end an iWARP stream to its end.",
                "several round trips on any network");
        row(
                "deadlines.leastBytesPerSecondClosing",
                RATE,
                "The minimum rate while a stream closes, in bytes per second.",
                "what a line of 128 kbit/s carries");
        row("deadlines.exposedReply", PATIENCE, "With readReplies, how long RDMA_DONE may take.", "twice the grace");
    }

    private void streams() {
        Kind.Whole depth = new Kind.Whole(1024, 65_536);
        Kind.Whole reads = new Kind.Whole(256, 16_383);
        row(
                "streams.sendQueueDepth",
                depth,
                "Sends, Writes and Reads posted on an iWARP stream.",
                "sixteen times what the responder posts");
        row(
                "streams.receiveQueueDepth",
                depth,
                "Receives posted on a stream.",
                "thirty times the credits of a connection");
        row(
                "streams.receiveBytes",
                new Kind.Bytes(256 * MIB, 1024 * GIB, 1),
                "Bytes of these receives.",
                "thirty times the credits of a connection");
        row("streams.regions", depth, "Memory regions of a stream.", "one for each RDMA Read and exposed reply");
        row(
                "streams.registeredBytes",
                new Kind.Bytes(2 * GIB, 1024 * GIB, 1),
                "Bytes of these regions.",
                "one for each RDMA Read and exposed reply");
        row(
                "streams.inboundReads",
                reads,
                "RDMA Reads that a peer may have outstanding on a stream.",
                "the responder offers 0, or 8 with readReplies");
        row(
                "streams.outstandingReads",
                reads,
                "RDMA Reads that the server may have outstanding on a stream.",
                "the responder asks for limits.rdma.ord");
        row(
                "streams.receivesOfAll",
                new Kind.Whole(65_536, 1L << 30),
                "Receives of all streams.",
                "1024 for each connection");
        row(
                "streams.receiveBytesOfAll",
                new Kind.Bytes(256 * MIB, 16_384 * GIB, 1),
                "Bytes of these receives.",
                "1024 for each connection");
        row(
                "streams.registeredBytesOfAll",
                new Kind.Bytes(2 * GIB, 16_384 * GIB, 1),
                "Registered bytes of all streams.",
                "1024 for each connection");
        row(
                "streams.inboundReadsOfAll",
                new Kind.Whole(256, 1L << 30),
                "RDMA Reads that all peers may have outstanding.",
                "64 for each connection");
    }

    private void rdma() {
        Kind.Whole credits = new Kind.Whole(1, 512);
        Kind.Whole buffers = new Kind.Whole(256, 16L << 20);
        Kind.Bytes replies = new Kind.Bytes(4 * MIB, 1024 * GIB, 1);
        row(
                "rdma.inlineBytes",
                new Kind.Bytes(KIB, 256 * KIB, KIB),
                "The size of the largest message and of a receive buffer; connections announce it in units of 1 "
                        + "KiB (RFC 8797).",
                "what Linux asks for");
        row(
                "rdma.credits",
                credits,
                "Calls of a connection, including unsent replies.",
                "as many as Linux keeps outstanding");
        row("rdma.maxCredits", credits, "The credits that a busy connection can grow to.", "Linux asks for no more");
        row(
                "rdma.runningCalls",
                new Kind.Whole(1, 4096),
                "Calls of a connection that run at once.",
                "as many as its credits");
        row(
                "rdma.postedWork",
                new Kind.Whole(8, 1024),
                "Posted work requests of a connection.",
                "a reply in Write chunks and a Send for each credit");
        row(
                "rdma.ord",
                new Kind.Whole(1, 256),
                "RDMA Reads that a connection may have outstanding (ORD).",
                "what Linux accepts");
        row(
                "rdma.receiveBuffers",
                buffers,
                "Receive buffers of all connections.",
                "all connections at half their credits");
        row("rdma.receiveBuffersOfClient", buffers, "Of these, those of one client address.", "a quarter");
        row(
                "rdma.heldBytes",
                new Kind.Bytes(2 * MIB, GIB, 1),
                "Memory of a connection for arguments from Read chunks, and as much again for its replies.",
                "1 MiB for each credit");
        row(
                "rdma.replyBytes",
                replies,
                "Replies of all connections outside the payload memory.",
                "256 listings of 1 MiB at once");
        row("rdma.replyBytesOfClient", replies, "Of these, those of one client address.", "a quarter");
        row(
                "rdma.backwardCalls",
                new Kind.Whole(1, 64),
                "Unanswered callbacks of a connection; others wait.",
                "a recall and one more");
        row(
                "rdma.exposedReplies",
                new Kind.Whole(1, 256),
                "With readReplies, exposed replies of a connection.",
                "one RDMA Read each");
        row("rdma.exposedBytes", new Kind.Bytes(MIB, GIB, 1), "Bytes of these replies.", "1 MiB for each reply");
        row(
                "rdma.exposedBytesOfClient",
                new Kind.Bytes(2 * MIB, 1024 * GIB, 1),
                "Bytes of exposed replies of one client address.",
                "eight connections");
        row(
                "rdma.exposedBytesOfAll",
                new Kind.Bytes(8 * MIB, 1024 * GIB, 1),
                "Bytes of exposed replies of all connections.",
                "four clients");
    }

    private void tcp() {
        row(
                "tcp.recordBytes",
                new Kind.Bytes(CALL_BYTES, 16 * MIB, 1),
                "The longest call.",
                "a WRITE of 1 MiB in the largest COMPOUND");
        row(
                "tcp.callsInFlight",
                new Kind.Whole(1, 4096),
                "Calls of a connection, including unread replies.",
                "what a Linux client keeps outstanding on a fast link");
        row(
                "tcp.callsInFlightOfClient",
                new Kind.Whole(1, 65_536),
                "Calls of one client address.",
                "eight busy connections");
        row(
                "tcp.recordMemoryBytes",
                new Kind.Bytes(8 * MIB, 1024 * GIB, 1),
                "Bytes of all records that are arriving or being read.",
                "240 WRITEs of 1 MiB");
        row(
                "tcp.recordMemoryBytesOfConnection",
                new Kind.Bytes(CALL_BYTES, 16 * GIB, 1),
                "Bytes of these records of one connection.",
                "more WRITEs than operation threads");
        row(
                "tcp.unsentBytes",
                new Kind.Bytes(64 * KIB, GIB, 1),
                "Bytes of unread replies of a connection, above which it starts no call.",
                "as much as a socket buffer takes meanwhile");
        row(
                "tcp.unsentBytesOfClient",
                new Kind.Bytes(MIB, 1024 * GIB, 1),
                "Bytes of unread replies of a client address, above which none of its calls begins.",
                "eight connections at their mark");
        row(
                "tcp.unsentBytesOfAll",
                new Kind.Bytes(4 * MIB, 1024 * GIB, 1),
                "Unread replies of all connections outside the payload memory.",
                "256 listings of 1 MiB at once");
        row(
                "tcp.backwardCalls",
                new Kind.Whole(1, 1024),
                "Unanswered callbacks of a connection, above which the oldest is forgotten.",
                "as many as calls of a connection");
        row(
                "tcp.backwardReplyBytes",
                new Kind.Bytes(KIB, MIB, 1),
                "The longest reply to a callback.",
                "callbacks carry a few hundred bytes");
        row(
                "tcp.unexpectedReplies",
                new Kind.Whole(0, 65_536),
                "Unexpected replies in the life of a connection.",
                "late replies to forgotten callbacks");
        row(
                "tcp.startsPerTurn",
                new Kind.Whole(1, 1024),
                "Calls that a connection starts before other connections have their turn.",
                "some hundred microseconds");
    }

    private void memory() {
        rows.add(payloadMemory);
        row(
                "memory.transferBytes",
                new Kind.Bytes(CALL_BYTES, 8 * MIB, 1),
                "The largest transfer, including the rest of a long COMPOUND.",
                "the largest transfer of Linux, and the rest of its COMPOUND");
        row(
                "memory.keptReplyBytes",
                new Kind.Bytes(MIB, 64 * GIB, 1),
                "Bytes of replies to calls without a session, kept for repeated calls.",
                "about 70,000 replies");
        row(
                "memory.idleFiles",
                new Kind.Whole(0, 1L << 20),
                "Open descriptors of a file system for files that no client has open.",
                "files that a build reads repeatedly");
    }

    private void state() {
        Kind.Whole few = new Kind.Whole(1, 1024);
        row("state.clients", RECORDS, "NFSv4 clients.", "4000 clients behind one address");
        row("state.sessions", RECORDS, "Sessions.", "one for each client");
        row("state.sessionsOfClient", few, "Sessions of a client.", "Linux makes one");
        row("state.slots", few, "Slots of a session.", "as many as Linux asks for");
        row(
                "state.connectionsOfSession",
                few,
                "Connections remembered as bound to a session.",
                "four times nconnect=16");
        row("state.operations", new Kind.Whole(16, 1024), "Operations of a COMPOUND.", "Linux makes some ten");
        row(
                "state.keptReplyBytes",
                new Kind.Bytes(KIB, 64 * KIB, 1),
                "The longest reply that a slot keeps.",
                "Linux asks for 7584 bytes");
        row(
                "state.keptRepliesBytes",
                new Kind.Bytes(MIB, 64 * GIB, 1),
                "Bytes of kept replies of all slots but the first of each session.",
                "80,000 usual replies");
        row("state.opens", RECORDS, "Open files, and open-owners.", "descriptors of the backend");
        row("state.opensOfClient", RECORDS, "Open files of a client.", "a quarter");
        row("state.locks", RECORDS, "Locked byte ranges, and lock stateids.", "64 MiB");
        row(
                "state.locksOfClient",
                RECORDS,
                "Locked byte ranges of a client.",
                "splitting all of them takes some 20 ms");
        row(
                "state.lockOwnersOfOpen",
                new Kind.Whole(1, 65_536),
                "Lock owners of an open.",
                "processes that lock through one open");
        row("state.delegations", RECORDS, "Delegations.", "a quarter of the opens");
        row(
                "state.courtesyLeases",
                new Kind.Whole(0, 100_000),
                "Number of leases for which a silent client keeps its state, unless another client needs it.",
                "a day of leases of 90 s");
    }
}
