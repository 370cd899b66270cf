package org.warpnfs.rpcrdma.tcp;

import org.jspecify.annotations.Nullable;

/**
 * The options of a TCP requester's connection.
 *
 * @param maxReplyBytes the longest reply, or call of the responder; a connection that announces a longer one is closed
 * @param maxOutstanding the most outstanding calls. TCP has no credits, so this limit bounds what a responder has to
 *     hold
 * @param backwardCalls the most calls of the responder that may be unanswered at once; one more ends the connection. 0
 *     to accept no calls
 * @param tls which servers to believe, where all calls go inside TLS; null to call in clear
 */
public record TcpRequesterOptions(
        int maxReplyBytes,
        int maxOutstanding,
        int backwardCalls,
        @Nullable TlsTrust tls) {
    /** The default options, with room for a READ of 1 MiB in the largest COMPOUND. */
    public static final TcpRequesterOptions DEFAULT = new TcpRequesterOptions((1 << 20) + (64 << 10), 128, 16);

    /** Options of a connection in clear. */
    public TcpRequesterOptions(int maxReplyBytes, int maxOutstanding, int backwardCalls) {
        this(maxReplyBytes, maxOutstanding, backwardCalls, null);
    }

    public TcpRequesterOptions {
        if (maxReplyBytes < 1024 || maxOutstanding < 1 || backwardCalls < 0) {
            throw new IllegalArgumentException("a limit of the TCP requester is below what one call needs");
        }
    }
}
