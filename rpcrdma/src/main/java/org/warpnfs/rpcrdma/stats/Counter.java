package org.warpnfs.rpcrdma.stats;

import java.util.Locale;

/** One thing that is counted. {@code *_BYTES} are bytes, {@link Kind#LEVEL}s go up and down, all else only grows. */
public enum Counter {
    /** Connections that are open now. */
    CONNECTIONS_OPEN(Kind.LEVEL),
    CONNECTIONS_ACCEPTED(Kind.TOTAL),
    /** Refused because of a limit. */
    CONNECTIONS_REFUSED(Kind.TOTAL),
    /** Ended because others wanted in; over TCP not always while idle. */
    CONNECTIONS_EVICTED(Kind.TOTAL),
    /** Ended by us because the peer broke a rule. */
    CONNECTIONS_ABORTED(Kind.TOTAL),
    /** Ended because RDMA Reads were not answered at the least rate. */
    READS_OVERDUE(Kind.TOTAL),
    /** Ended because replies were not taken at the least rate. */
    REPLIES_NOT_TAKEN(Kind.TOTAL),
    /** Ended because no message ever came. */
    FIRST_MESSAGES_MISSED(Kind.TOTAL),
    /** Ended inside a message, or reset. */
    CONNECTIONS_LOST(Kind.TOTAL),
    /** Streams that we ended with a Terminate. */
    TERMINATES_SENT(Kind.TOTAL),
    /** Streams that the peer ended with one. */
    TERMINATES_RECEIVED(Kind.TOTAL),

    CALLS_RECEIVED(Kind.TOTAL),
    CALLS_RUNNING(Kind.LEVEL),
    /**
     * Calls over TCP that have not begun, and wait on no thread until replies are taken. They are not among those that
     * run.
     */
    CALLS_HELD(Kind.LEVEL),
    REPLIES_SENT(Kind.TOTAL),
    /** Given up without an answer: the connection ended first, or drains. */
    CALLS_DROPPED(Kind.TOTAL),
    /** Calls that came whole in a Position-Zero Read chunk: as many of those chunks there were. */
    LONG_CALLS(Kind.TOTAL),
    /** Calls that came as RDMA_MSGP (RFC 5666). */
    PADDED_CALLS(Kind.TOTAL),
    /** Replies that went whole into a Reply chunk. */
    LONG_REPLIES(Kind.TOTAL),
    BACKWARD_CALLS_SENT(Kind.TOTAL),
    BACKWARD_REPLIES_RECEIVED(Kind.TOTAL),
    /** Calls of ours that were not answered in their time. */
    BACKWARD_CALLS_LOST(Kind.TOTAL),

    /** Arguments that came as Read chunks; Position-Zero chunks are {@link #LONG_CALLS}. */
    READ_CHUNKS(Kind.TOTAL),
    WRITE_CHUNKS(Kind.TOTAL),
    REPLY_CHUNKS_OFFERED(Kind.TOTAL),
    RDMA_READS(Kind.TOTAL),
    /** Issued and not answered yet. */
    READS_OUTSTANDING(Kind.LEVEL),
    RDMA_WRITES(Kind.TOTAL),
    INVALIDATIONS_SENT(Kind.TOTAL),
    /** Replies that the requester was to read itself (RFC 5666). */
    REPLIES_EXPOSED(Kind.TOTAL),
    DONES_RECEIVED(Kind.TOTAL),
    /** Exposed replies that were taken back because no RDMA_DONE came. */
    DONES_MISSED(Kind.TOTAL),

    INLINE_RECEIVED_BYTES(Kind.TOTAL),
    INLINE_SENT_BYTES(Kind.TOTAL),
    RDMA_READ_BYTES(Kind.TOTAL),
    /** Result data in Write chunks. */
    WRITE_CHUNK_BYTES(Kind.TOTAL),
    REPLY_CHUNK_BYTES(Kind.TOTAL),
    /** Reply data that requesters may read now. */
    EXPOSED_BYTES(Kind.LEVEL),
    TCP_RECEIVED_BYTES(Kind.TOTAL),
    TCP_SENT_BYTES(Kind.TOTAL),

    /** Credits that requesters hold now, all connections together. */
    CREDITS_GRANTED(Kind.LEVEL),
    /** Of those, how many calls hold: received, and not ended. */
    CREDITS_IN_USE(Kind.LEVEL),
    /** Receive buffers that connections hold now. */
    RECEIVE_BUFFERS_HELD(Kind.LEVEL),
    /** Slabs of receive buffers that were made; they are kept. */
    RECEIVE_SLABS(Kind.TOTAL),
    /** Slabs that the virtual machine had no direct memory for. */
    RECEIVE_SLABS_REFUSED(Kind.TOTAL),
    /**
     * Memory of messages that wait for requesters to take them; over TCP only what lies outside payload memory, and
     * what is set aside for calls that run.
     */
    REPLY_BYTES_HELD(Kind.LEVEL),
    /** Calls that had to wait until replies were taken: of their connection, their client or all. */
    REPLY_MEMORY_WAITS(Kind.TOTAL),
    /** Calls that had to wait for payload memory. */
    MEMORY_WAITS(Kind.TOTAL),
    /** RDMA Reads that had to wait for the ORD. */
    ORD_WAITS(Kind.TOTAL),
    /** Times that RDMA Reads had to wait because no more memory could be registered. */
    REGISTRATION_WAITS(Kind.TOTAL),

    ERR_VERS_SENT(Kind.TOTAL),
    /** ERR_CHUNK for a header or chunk list that makes no sense. */
    ERR_CHUNK_MALFORMED_SENT(Kind.TOTAL),
    /** ERR_CHUNK for a reply that does not fit what the requester offered. */
    ERR_CHUNK_TOO_BIG_SENT(Kind.TOTAL),
    MESSAGES_IGNORED(Kind.TOTAL),
    CREDIT_OVERRUNS(Kind.TOTAL),
    /** Calls with the XID of one that was still in flight on their connection. */
    DUPLICATE_XIDS(Kind.TOTAL),
    READS_FAILED(Kind.TOTAL),
    RECORDS_REFUSED(Kind.TOTAL),

    /** TCP connections refused because their client has too many. */
    CONNECTIONS_REFUSED_BY_CLIENT(Kind.TOTAL),
    /** How often TCP connections could not be accepted, for want of a descriptor. */
    ACCEPTS_FAILED(Kind.TOTAL),
    /** TCP connections that ended because no whole call came in time. */
    FIRST_CALLS_MISSED(Kind.TOTAL),
    /** TCP connections that ended because a record that had begun came too slowly. */
    RECORDS_TOO_SLOW(Kind.TOTAL),
    /** TCP connections that ended because replies were taken too slowly. */
    REPLIES_TOO_SLOW(Kind.TOTAL),
    /** Length of records that are coming over TCP, or that programs read. */
    RECORD_MEMORY_BYTES(Kind.LEVEL),
    /** What TCP peers have not taken. */
    UNSENT_BYTES(Kind.LEVEL),
    /** How often a TCP connection started no call because its peer had too much to take. */
    UNSENT_WAITS(Kind.TOTAL),
    /** How often a TCP connection started no call because of what its client's connections have in flight. */
    CLIENT_WAITS(Kind.TOTAL),
    /** Records that claim to be replies to calls of ours, and are not. */
    BACKWARD_REPLIES_UNEXPECTED(Kind.TOTAL),
    /** Backward calls over TCP that were not sent because the peer does not take them. */
    BACKWARD_CALLS_REFUSED(Kind.TOTAL),
    /** A reply could not be sent or given back: each is a bug, and logged. */
    DEFECTS(Kind.TOTAL),

    RPC_VERSION_DENIED(Kind.TOTAL),
    AUTH_DENIED(Kind.TOTAL),
    PROG_UNAVAIL(Kind.TOTAL),
    PROG_MISMATCH(Kind.TOTAL),
    GARBAGE_ARGS(Kind.TOTAL),
    /** A program threw: each is a bug, and logged. */
    SYSTEM_ERRORS(Kind.TOTAL);

    /** How a value behaves over time. */
    public enum Kind {
        TOTAL,
        LEVEL
    }

    private final Kind kind;

    Counter(Kind kind) {
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }

    /** The name for people and exporters: lower case, words joined by underscores. */
    public String metricName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
