package org.warpnfs.rpcrdma.wire;

import java.nio.ByteBuffer;

/**
 * The header of an RPC message that follows inline, except for the parts that its chunks carry (RFC 8166, section 4.3).
 *
 * <pre>
 *  0 | fixed header, procedure 0   16
 * 16 | chunk lists                 12 or more
 * </pre>
 */
public record RdmaMsg(long xid, long credits, ChunkLists lists) implements RpcRdmaHeader {
    @Override
    public int encodedLengthBytes() {
        return FixedHeader.ENCODED_BYTES + lists.encodedLengthBytes();
    }

    @Override
    public void encode(ByteBuffer out) {
        FixedHeader.encode(out, xid, FixedHeader.VERSION, credits, FixedHeader.RDMA_MSG);
        lists.encode(out);
    }
}
