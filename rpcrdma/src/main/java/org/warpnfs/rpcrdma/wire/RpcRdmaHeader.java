package org.warpnfs.rpcrdma.wire;

import java.nio.ByteBuffer;

/**
 * The header of one RPC-over-RDMA message: the {@link FixedHeader} and the fields of its procedure (RFC 8166, section
 * 4).
 */
public sealed interface RpcRdmaHeader permits RdmaMsg, RdmaNomsg, RdmaMsgp, RdmaDone, RdmaErrorVers, RdmaErrorChunk {
    /** The XID, unsigned 32 bits. */
    long xid();

    /** Credits requested in a call or granted in a reply, unsigned 32 bits. */
    long credits();

    /** The length on the wire. */
    int encodedLengthBytes();

    /** Writes the header at the position of {@code out}, which must have room for {@link #encodedLengthBytes()}. */
    void encode(ByteBuffer out);

    /** The header in a new buffer. */
    default ByteBuffer encoded() {
        ByteBuffer out = ByteBuffer.allocate(encodedLengthBytes());
        encode(out);
        return out.flip();
    }

    /**
     * Parses the header at the position of {@code in} and moves the position to the end of the header, where an inline
     * RPC message begins.
     *
     * @throws RpcRdmaViolation if the header is truncated, of another version, or beyond {@code limits}; the position
     *     is then undefined
     */
    static RpcRdmaHeader parse(ByteBuffer in, HeaderLimits limits) throws RpcRdmaViolation {
        if (in.remaining() < FixedHeader.ENCODED_BYTES) {
            throw RpcRdmaViolation.drop("message of " + in.remaining() + " bytes");
        }
        FixedHeader fixed = FixedHeader.parse(in);
        // An error must not be answered with an error. And the version word of an ERR_VERS is the one that the error is
        // about.
        if (fixed.procedure() == FixedHeader.RDMA_ERROR) {
            return parseError(fixed, in);
        }
        if (fixed.version() != FixedHeader.VERSION) {
            throw RpcRdmaViolation.version(fixed);
        }
        return switch ((int) fixed.procedure()) {
            case FixedHeader.RDMA_MSG ->
                new RdmaMsg(fixed.xid(), fixed.credits(), ChunkLists.parse(in, fixed.xid(), limits));
            case FixedHeader.RDMA_NOMSG ->
                new RdmaNomsg(fixed.xid(), fixed.credits(), ChunkLists.parse(in, fixed.xid(), limits));
            case FixedHeader.RDMA_MSGP -> RdmaMsgp.parse(fixed, in, limits);
            case FixedHeader.RDMA_DONE -> new RdmaDone(fixed.xid(), fixed.credits());
            default -> throw RpcRdmaViolation.chunk(fixed.xid(), "procedure " + fixed.procedure());
        };
    }

    private static RpcRdmaHeader parseError(FixedHeader fixed, ByteBuffer in) throws RpcRdmaViolation {
        if (in.remaining() < 4) {
            throw RpcRdmaViolation.drop("RDMA_ERROR without a code");
        }
        int code = in.getInt();
        return switch (code) {
            case RdmaErrorVers.CODE -> RdmaErrorVers.parse(fixed, in);
            case RdmaErrorChunk.CODE -> new RdmaErrorChunk(fixed.xid(), fixed.version(), fixed.credits());
            default -> throw RpcRdmaViolation.drop("RDMA_ERROR of code " + Integer.toUnsignedString(code));
        };
    }
}
