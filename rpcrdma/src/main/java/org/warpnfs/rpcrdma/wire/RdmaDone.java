package org.warpnfs.rpcrdma.wire;

import java.nio.ByteBuffer;

/**
 * Tells that the requester has read the Read chunks of a reply (RFC 5666, section 4.3; removed in RFC 8166). The
 * message is the fixed header alone.
 */
public record RdmaDone(long xid, long credits) implements RpcRdmaHeader {
    @Override
    public int encodedLengthBytes() {
        return FixedHeader.ENCODED_BYTES;
    }

    @Override
    public void encode(ByteBuffer out) {
        FixedHeader.encode(out, xid, FixedHeader.VERSION, credits, FixedHeader.RDMA_DONE);
    }
}
