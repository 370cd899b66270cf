package org.warpnfs.rpcrdma.tcp;

/**
 * What a TCP requester brings to its connection.
 *
 * @param maxReplyBytes the longest reply, or call of the responder's; a connection that announces a longer one is
 *     closed
 * @param maxOutstanding calls that may be outstanding: TCP has no credits, so this is what bounds what a responder has
 *     to hold
 * @param backwardCalls calls of the responder's that may be unanswered at once; more end the connection; 0 for no calls
 *     of its at all
 */
public record TcpRequesterOptions(int maxReplyBytes, int maxOutstanding, int backwardCalls) {
    /** Room for a READ of 1 MiB in the largest COMPOUND. */
    public static final TcpRequesterOptions DEFAULT = new TcpRequesterOptions((1 << 20) + (64 << 10), 128, 16);

    public TcpRequesterOptions {
        if (maxReplyBytes < 1024 || maxOutstanding < 1 || backwardCalls < 0) {
            throw new IllegalArgumentException("a limit of the TCP requester is below what one call needs");
        }
    }
}
