package org.warpnfs.rpcrdma.wire;

import java.nio.ByteBuffer;

/**
 * The header of an RPC message that follows inline, with padding before long data (RFC 5666, section 4.3). RFC 8166,
 * section 4.3 forbids sending it.
 *
 * <pre>
 *  0 | fixed header, procedure 2   16
 * 16 | alignment in bytes           4
 * 20 | threshold in bytes           4
 * 24 | chunk lists                 12 or more
 * </pre>
 */
public record RdmaMsgp(long xid, long credits, long alignmentBytes, long thresholdBytes, ChunkLists lists)
        implements RpcRdmaHeader {
    private static final int PADDING_WORDS_BYTES = 8;

    static RdmaMsgp parse(FixedHeader fixed, ByteBuffer in, HeaderLimits limits) throws RpcRdmaViolation {
        if (in.remaining() < PADDING_WORDS_BYTES) {
            throw RpcRdmaViolation.chunk(fixed.xid(), "RDMA_MSGP without alignment and threshold");
        }
        long alignmentBytes = Integer.toUnsignedLong(in.getInt());
        long thresholdBytes = Integer.toUnsignedLong(in.getInt());
        return new RdmaMsgp(
                fixed.xid(),
                fixed.credits(),
                alignmentBytes,
                thresholdBytes,
                ChunkLists.parse(in, fixed.xid(), limits));
    }

    @Override
    public int encodedLengthBytes() {
        return FixedHeader.ENCODED_BYTES + PADDING_WORDS_BYTES + lists.encodedLengthBytes();
    }

    @Override
    public void encode(ByteBuffer out) {
        FixedHeader.encode(out, xid, FixedHeader.VERSION, credits, FixedHeader.RDMA_MSGP);
        out.putInt((int) alignmentBytes).putInt((int) thresholdBytes);
        lists.encode(out);
    }
}
