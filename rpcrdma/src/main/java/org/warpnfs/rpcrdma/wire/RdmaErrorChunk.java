package org.warpnfs.rpcrdma.wire;

import java.nio.ByteBuffer;

/**
 * Tells that the responder cannot use the call's chunks, or that the reply does not fit them (RFC 8166, sections 4.5.2
 * and 4.5.3).
 *
 * <pre>
 *  0 | fixed header, procedure 4   16
 * 16 | 2 ERR_CHUNK                  4
 * </pre>
 */
public record RdmaErrorChunk(long xid, long version, long credits) implements RpcRdmaHeader {
    static final int CODE = 2;

    /** The answer to a call of version 1. */
    public static RdmaErrorChunk of(long xid, long credits) {
        return new RdmaErrorChunk(xid, FixedHeader.VERSION, credits);
    }

    @Override
    public int encodedLengthBytes() {
        return FixedHeader.ENCODED_BYTES + 4;
    }

    @Override
    public void encode(ByteBuffer out) {
        FixedHeader.encode(out, xid, version, credits, FixedHeader.RDMA_ERROR);
        out.putInt(CODE);
    }
}
