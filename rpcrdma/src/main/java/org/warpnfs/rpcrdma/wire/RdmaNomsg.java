package org.warpnfs.rpcrdma.wire;

import java.nio.ByteBuffer;

/**
 * The header of an RPC message that does not follow inline. A Position-Zero Read chunk or the Reply chunk holds all of
 * it (RFC 8166, section 4.3).
 *
 * <pre>
 *  0 | fixed header, procedure 1   16
 * 16 | chunk lists                 12 or more
 * </pre>
 */
public record RdmaNomsg(long xid, long credits, ChunkLists lists) implements RpcRdmaHeader {
    @Override
    public int encodedLengthBytes() {
        return FixedHeader.ENCODED_BYTES + lists.encodedLengthBytes();
    }

    @Override
    public void encode(ByteBuffer out) {
        FixedHeader.encode(out, xid, FixedHeader.VERSION, credits, FixedHeader.RDMA_NOMSG);
        lists.encode(out);
    }
}
