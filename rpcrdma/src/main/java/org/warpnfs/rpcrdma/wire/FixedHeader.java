package org.warpnfs.rpcrdma.wire;

import java.nio.ByteBuffer;

/**
 * The four words that begin every message (RFC 8166, section 4.2).
 *
 * <pre>
 *  0 | xid        4   that of the RPC message
 *  4 | version    4   1
 *  8 | credits    4   call: wanted; reply: granted
 * 12 | procedure  4   0 MSG, 1 NOMSG, 2 MSGP, 3 DONE, 4 ERROR
 * </pre>
 *
 * All fields are unsigned 32 bits.
 */
public record FixedHeader(long xid, long version, long credits, long procedure) {
    /** The length on the wire. */
    public static final int ENCODED_BYTES = 16;

    /** The only version that this package supports. */
    public static final int VERSION = 1;

    static final int RDMA_MSG = 0;
    static final int RDMA_NOMSG = 1;
    static final int RDMA_MSGP = 2;
    static final int RDMA_DONE = 3;
    static final int RDMA_ERROR = 4;

    static FixedHeader parse(ByteBuffer in) {
        return new FixedHeader(
                Integer.toUnsignedLong(in.getInt()),
                Integer.toUnsignedLong(in.getInt()),
                Integer.toUnsignedLong(in.getInt()),
                Integer.toUnsignedLong(in.getInt()));
    }

    static void encode(ByteBuffer out, long xid, long version, long credits, int procedure) {
        out.putInt((int) xid).putInt((int) version).putInt((int) credits).putInt(procedure);
    }
}
