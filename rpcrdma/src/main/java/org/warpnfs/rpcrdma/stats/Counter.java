package org.warpnfs.rpcrdma.stats;

import java.util.Locale;

/**
 * The counters of the transports. {@code *_BYTES} count bytes. {@link Kind#LEVEL}s go up and down, all others only
 * grow.
 */
public enum Counter {
    /** Connections that are open now. */
    CONNECTIONS_OPEN(Kind.LEVEL),
    CONNECTIONS_ACCEPTED(Kind.TOTAL),
    /** Connections refused because of a limit. */
    CONNECTIONS_REFUSED(Kind.TOTAL),
    /** Connections ended to make room for others. Over TCP they were not always idle. */
    CONNECTIONS_EVICTED(Kind.TOTAL),
    /** Connections that we ended because the peer broke a rule. */
    CONNECTIONS_ABORTED(Kind.TOTAL),
    /** Connections ended because RDMA Reads were not answered at the least rate. */
    READS_OVERDUE(Kind.TOTAL),
    /** Connections ended because replies were not taken at the least rate. */
    REPLIES_NOT_TAKEN(Kind.TOTAL),
    /** Connections ended because no message ever came. */
    FIRST_MESSAGES_MISSED(Kind.TOTAL),
    /** Connections that ended inside a message or were reset. */
    CONNECTIONS_LOST(Kind.TOTAL),
    /** Streams that we ended with a Terminate. */
    TERMINATES_SENT(Kind.TOTAL),
    /** Streams that the peer ended with a Terminate. */
    TERMINATES_RECEIVED(Kind.TOTAL),

    CALLS_RECEIVED(Kind.TOTAL),
    /** Calls that began on the event loop that received them. */
    CALLS_INLINE(Kind.TOTAL),
    /** Calls that began on the event loop, and went on in a lane because they would have had to wait. */
    CALLS_POSTPONED(Kind.TOTAL),
    CALLS_RUNNING(Kind.LEVEL),
    /**
     * Calls over TCP that have not begun, and wait on no thread until replies are taken. They are not counted as
     * running.
     */
    CALLS_HELD(Kind.LEVEL),
    REPLIES_SENT(Kind.TOTAL),
    /** Calls that ended without an answer, because the connection ended first or was drained. */
    CALLS_DROPPED(Kind.TOTAL),
    /** Calls that came as a whole in a Position-Zero Read chunk, which is also the number of those chunks. */
    LONG_CALLS(Kind.TOTAL),
    /** Calls that came as RDMA_MSGP (RFC 5666). */
    PADDED_CALLS(Kind.TOTAL),
    /** Replies that were sent as a whole in a Reply chunk. */
    LONG_REPLIES(Kind.TOTAL),
    BACKWARD_CALLS_SENT(Kind.TOTAL),
    BACKWARD_REPLIES_RECEIVED(Kind.TOTAL),
    /** Calls of ours that were not answered in time. */
    BACKWARD_CALLS_LOST(Kind.TOTAL),

    /** Arguments that came as Read chunks. Position-Zero chunks count as {@link #LONG_CALLS} instead. */
    READ_CHUNKS(Kind.TOTAL),
    WRITE_CHUNKS(Kind.TOTAL),
    REPLY_CHUNKS_OFFERED(Kind.TOTAL),
    RDMA_READS(Kind.TOTAL),
    /** RDMA Reads that were issued and have not been answered yet. */
    READS_OUTSTANDING(Kind.LEVEL),
    RDMA_WRITES(Kind.TOTAL),
    INVALIDATIONS_SENT(Kind.TOTAL),
    /** Replies that were exposed for the requester to read (RFC 5666). */
    REPLIES_EXPOSED(Kind.TOTAL),
    DONES_RECEIVED(Kind.TOTAL),
    /** Exposed replies that were withdrawn because no RDMA_DONE came. */
    DONES_MISSED(Kind.TOTAL),

    INLINE_RECEIVED_BYTES(Kind.TOTAL),
    INLINE_SENT_BYTES(Kind.TOTAL),
    RDMA_READ_BYTES(Kind.TOTAL),
    /** Result data that was written to Write chunks. */
    WRITE_CHUNK_BYTES(Kind.TOTAL),
    REPLY_CHUNK_BYTES(Kind.TOTAL),
    /** Reply data that is exposed to requesters now. */
    EXPOSED_BYTES(Kind.LEVEL),
    TCP_RECEIVED_BYTES(Kind.TOTAL),
    TCP_SENT_BYTES(Kind.TOTAL),

    /** Credits granted to requesters now, of all connections together. */
    CREDITS_GRANTED(Kind.LEVEL),
    /** Granted credits that calls use now: received, and not ended. */
    CREDITS_IN_USE(Kind.LEVEL),
    /** Receive buffers that connections hold now. */
    RECEIVE_BUFFERS_HELD(Kind.LEVEL),
    /** Slabs of receive buffers that were allocated. They are never freed. */
    RECEIVE_SLABS(Kind.TOTAL),
    /** Slabs that could not be allocated, because the virtual machine had no direct memory left. */
    RECEIVE_SLABS_REFUSED(Kind.TOTAL),
    /**
     * Memory of messages that requesters have not taken yet. Over TCP this counts only memory outside of payload
     * memory, and memory reserved for running calls.
     */
    REPLY_BYTES_HELD(Kind.LEVEL),
    /** Calls that waited until replies were taken, of their connection, of their client or of all clients. */
    REPLY_MEMORY_WAITS(Kind.TOTAL),
    /** Calls that waited for payload memory. */
    MEMORY_WAITS(Kind.TOTAL),
    /** RDMA Reads that waited because the ORD was reached. */
    ORD_WAITS(Kind.TOTAL),
    /** How often RDMA Reads waited because no more memory could be registered. */
    REGISTRATION_WAITS(Kind.TOTAL),

    ERR_VERS_SENT(Kind.TOTAL),
    /** ERR_CHUNK sent for a header or chunk list that is not valid. */
    ERR_CHUNK_MALFORMED_SENT(Kind.TOTAL),
    /** ERR_CHUNK sent for a reply that does not fit what the requester offered. */
    ERR_CHUNK_TOO_BIG_SENT(Kind.TOTAL),
    MESSAGES_IGNORED(Kind.TOTAL),
    CREDIT_OVERRUNS(Kind.TOTAL),
    /** Calls with the XID of a call that was still in flight on their connection. */
    DUPLICATE_XIDS(Kind.TOTAL),
    READS_FAILED(Kind.TOTAL),
    RECORDS_REFUSED(Kind.TOTAL),

    /** TCP connections refused because their client has too many. */
    CONNECTIONS_REFUSED_BY_CLIENT(Kind.TOTAL),
    /** How often TCP connections could not be accepted, usually because no file descriptor was free. */
    ACCEPTS_FAILED(Kind.TOTAL),
    /** TCP connections inside TLS now. */
    TLS_CONNECTIONS_OPEN(Kind.LEVEL),
    /** TLS handshakes with clients that showed no certificate. */
    TLS_HANDSHAKES(Kind.TOTAL),
    /** TLS handshakes with clients that showed a certificate, which was verified. */
    TLS_HANDSHAKES_MUTUAL(Kind.TOTAL),
    /** TLS handshakes that did not end in time, or ended without a protected connection. */
    TLS_HANDSHAKES_FAILED(Kind.TOTAL),
    /** TCP connections ended because they carried what is not TLS where TLS was due. */
    TLS_VIOLATIONS(Kind.TOTAL),
    /** TCP connections ended because no complete call came in time. */
    FIRST_CALLS_MISSED(Kind.TOTAL),
    /** TCP connections ended because a record that had begun came too slowly. */
    RECORDS_TOO_SLOW(Kind.TOTAL),
    /** TCP connections ended because replies were taken too slowly. */
    REPLIES_TOO_SLOW(Kind.TOTAL),
    /** Length of the TCP records that are arriving or that programs are reading. */
    RECORD_MEMORY_BYTES(Kind.LEVEL),
    /** Bytes that TCP peers have not taken yet. */
    UNSENT_BYTES(Kind.LEVEL),
    /** How often a TCP connection started no call because its peer had too many bytes to take. */
    UNSENT_WAITS(Kind.TOTAL),
    /** How often a TCP connection started no call because its client had too much in flight on all its connections. */
    CLIENT_WAITS(Kind.TOTAL),
    /** Records that claim to be replies to calls of ours but are not. */
    BACKWARD_REPLIES_UNEXPECTED(Kind.TOTAL),
    /** Backward calls over TCP that were not sent because the peer does not take their bytes. */
    BACKWARD_CALLS_REFUSED(Kind.TOTAL),
    /** Replies that could not be sent or released. Each is a bug and is logged. */
    DEFECTS(Kind.TOTAL),

    RPC_VERSION_DENIED(Kind.TOTAL),
    AUTH_DENIED(Kind.TOTAL),
    PROG_UNAVAIL(Kind.TOTAL),
    PROG_MISMATCH(Kind.TOTAL),
    GARBAGE_ARGS(Kind.TOTAL),
    /** Exceptions that programs threw. Each is a bug and is logged. */
    SYSTEM_ERRORS(Kind.TOTAL);

    /** Whether a value only grows. */
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
