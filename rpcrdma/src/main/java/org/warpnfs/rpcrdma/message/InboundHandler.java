package org.warpnfs.rpcrdma.message;

/**
 * The RPC layer's end of one connection. It is called on the connection's owner thread, so it passes work on and
 * returns.
 */
public interface InboundHandler {
    /** A call is complete. */
    void call(InboundCall call);

    /** A reply to a call in the backward direction has arrived. The stream is a copy and stays valid. */
    void backwardReply(XdrStream reply);

    /**
     * A call in the backward direction was not answered in time and is given up. If its reply arrives later, it is not
     * reported.
     *
     * @param xid the XID of the call, unsigned 32 bits
     */
    default void backwardCallLost(long xid) {}

    /** The connection has ended, and no more calls or replies will come. Calls that still run must still be ended. */
    void closed();
}
