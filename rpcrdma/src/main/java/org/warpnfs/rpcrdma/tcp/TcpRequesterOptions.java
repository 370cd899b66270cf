package org.warpnfs.rpcrdma.tcp;

/**
 * The options of a TCP requester's connection.
 *
 * @param maxReplyBytes the longest reply, or call of the responder; a connection that announces a longer one is closed
 * @param maxOutstanding the most outstanding calls. TCP has no credits, so this limit bounds what a responder has to
 *     hold
 * @param backwardCalls the most calls of the responder that may be unanswered at once; one more ends the connection. 0
 *     to accept no calls
 */
public record TcpRequesterOptions(int maxReplyBytes, int maxOutstanding, int backwardCalls) {
    /** The default options, with room for a READ of 1 MiB in the largest COMPOUND. */
    public static final TcpRequesterOptions DEFAULT = new TcpRequesterOptions((1 << 20) + (64 << 10), 128, 16);

    public TcpRequesterOptions {
        if (maxReplyBytes < 1024 || maxOutstanding < 1 || backwardCalls < 0) {
            throw new IllegalArgumentException("a limit of the TCP requester is below what one call needs");
        }
    }
}
