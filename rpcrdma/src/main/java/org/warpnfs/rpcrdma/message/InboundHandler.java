package org.warpnfs.rpcrdma.message;

/** The RPC layer's end of one connection. Called on the connection's owner thread: hands work on and returns. */
public interface InboundHandler {
    /** A call is complete. */
    void call(InboundCall call);

    /** A reply to a call that went in the backward direction; the stream is a copy and stays valid. */
    void backwardReply(XdrStream reply);

    /**
     * A call that went in the backward direction was not answered in its time, and is given up. Its reply may still be
     * on its way, but does not come here any more.
     *
     * @param xid of the call, unsigned 32 bits
     */
    default void backwardCallLost(long xid) {}

    /** The connection has ended; no further call or reply will come. Calls that still run must still be ended. */
    void closed();
}
