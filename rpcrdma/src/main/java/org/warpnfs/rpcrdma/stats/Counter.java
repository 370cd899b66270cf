package org.warpnfs.rpcrdma.stats;

import java.util.Locale;

/** One thing that is counted. {@code *_BYTES} are bytes, {@link Kind#LEVEL}s go up and down, all else only grows. */
public enum Counter {
    /** Connections that are open now. */
    CONNECTIONS_OPEN(Kind.LEVEL),
    CONNECTIONS_ACCEPTED(Kind.TOTAL),
    /** Refused because of a limit. */
    CONNECTIONS_REFUSED(Kind.TOTAL),
    /** Ended by us because the peer broke a rule. */
    CONNECTIONS_ABORTED(Kind.TOTAL),

    CALLS_RECEIVED(Kind.TOTAL),
    CALLS_RUNNING(Kind.LEVEL),
    REPLIES_SENT(Kind.TOTAL),
    /** Given up without an answer: the connection ended first, or drains. */
    CALLS_DROPPED(Kind.TOTAL),
    /** Calls that came whole in a Position-Zero Read chunk. */
    LONG_CALLS(Kind.TOTAL),
    /** Replies that went whole into a Reply chunk. */
    LONG_REPLIES(Kind.TOTAL),
    BACKWARD_CALLS_SENT(Kind.TOTAL),
    BACKWARD_REPLIES_RECEIVED(Kind.TOTAL),

    READ_CHUNKS(Kind.TOTAL),
    WRITE_CHUNKS(Kind.TOTAL),
    REPLY_CHUNKS_OFFERED(Kind.TOTAL),
    RDMA_READS(Kind.TOTAL),
    RDMA_WRITES(Kind.TOTAL),
    INVALIDATIONS_SENT(Kind.TOTAL),

    INLINE_RECEIVED_BYTES(Kind.TOTAL),
    INLINE_SENT_BYTES(Kind.TOTAL),
    RDMA_READ_BYTES(Kind.TOTAL),
    /** Result data in Write chunks. */
    WRITE_CHUNK_BYTES(Kind.TOTAL),
    REPLY_CHUNK_BYTES(Kind.TOTAL),
    TCP_RECEIVED_BYTES(Kind.TOTAL),
    TCP_SENT_BYTES(Kind.TOTAL),

    /** Credits that requesters hold now, all connections together. */
    CREDITS_GRANTED(Kind.LEVEL),
    /** Calls that had to wait for payload memory. */
    MEMORY_WAITS(Kind.TOTAL),
    /** RDMA Reads that had to wait for the ORD. */
    ORD_WAITS(Kind.TOTAL),

    ERR_VERS_SENT(Kind.TOTAL),
    /** ERR_CHUNK for a header or chunk list that makes no sense. */
    ERR_CHUNK_MALFORMED_SENT(Kind.TOTAL),
    /** ERR_CHUNK for a reply that does not fit what the requester offered. */
    ERR_CHUNK_TOO_BIG_SENT(Kind.TOTAL),
    MESSAGES_IGNORED(Kind.TOTAL),
    CREDIT_OVERRUNS(Kind.TOTAL),
    READS_FAILED(Kind.TOTAL),
    RECORDS_REFUSED(Kind.TOTAL),

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
