package org.warpnfs.rpcrdma.server;

import java.time.Duration;

/**
 * Features of RFC 5666 that RFC 8166 removed and that a responder may still offer. RDMA_MSGP and RDMA_DONE are accepted
 * without any option.
 *
 * @param replyByReadChunks whether a reply that fits nowhere else may be exposed for the requester to read (RFC 5666,
 *     section 3.8). It opens memory to the peer until RDMA_DONE comes
 * @param maxExposedReplies the most exposed replies of one connection at once
 * @param maxExposedBytes the most exposed bytes of one connection at once
 * @param maxExposedBytesInAll the most exposed bytes of all connections together
 * @param doneLimit how long RDMA_DONE may take; after that the memory is withdrawn, and the second time the connection
 *     is ended
 * @param connectionConfiguration whether the connection configuration protocol is served (RFC 5666, section 6)
 */
public record Rfc5666Options(
        boolean replyByReadChunks,
        int maxExposedReplies,
        long maxExposedBytes,
        long maxExposedBytesInAll,
        Duration doneLimit,
        boolean connectionConfiguration) {
    /** Exposes no memory. A requester may configure its connection. */
    public static final Rfc5666Options DEFAULT =
            new Rfc5666Options(false, 8, 8 << 20, 256 << 20, Duration.ofSeconds(60), true);

    /** Offers all of RFC 5666. */
    public static final Rfc5666Options ALL =
            new Rfc5666Options(true, 8, 8 << 20, 256 << 20, Duration.ofSeconds(60), true);

    public Rfc5666Options {
        if (maxExposedReplies < 1 || maxExposedBytes < 1 || maxExposedBytesInAll < 1 || doneLimit.isNegative()) {
            throw new IllegalArgumentException("a limit of exposed replies is below what one of them needs");
        }
    }

    /** The number of RDMA Reads of the requester that a connection holds. */
    int ird() {
        return replyByReadChunks ? maxExposedReplies : 0;
    }

    /** Receive buffers in addition to those for calls, so that RDMA_DONE always finds one. */
    int doneBuffers() {
        return replyByReadChunks ? maxExposedReplies : 0;
    }
}
