package org.warpnfs.rpcrdma.wire;

import java.nio.ByteBuffer;

/**
 * Tells that the responder does not support the version of the call (RFC 8166, section 4.5.1).
 *
 * <pre>
 *  0 | fixed header, procedure 4; its version word is the one complained about   16
 * 16 | 1 ERR_VERS       4
 * 20 | lowest version   4
 * 24 | highest version  4
 * </pre>
 */
public record RdmaErrorVers(long xid, long version, long credits, long lowestVersion, long highestVersion)
        implements RpcRdmaHeader {
    static final int CODE = 1;

    /** The answer of a responder that supports only version 1. */
    public static RdmaErrorVers onlyVersion1(long xid, long version, long credits) {
        return new RdmaErrorVers(xid, version, credits, FixedHeader.VERSION, FixedHeader.VERSION);
    }

    static RdmaErrorVers parse(FixedHeader fixed, ByteBuffer in) throws RpcRdmaViolation {
        if (in.remaining() < 8) {
            throw RpcRdmaViolation.drop("ERR_VERS without versions");
        }
        return new RdmaErrorVers(
                fixed.xid(),
                fixed.version(),
                fixed.credits(),
                Integer.toUnsignedLong(in.getInt()),
                Integer.toUnsignedLong(in.getInt()));
    }

    @Override
    public int encodedLengthBytes() {
        return FixedHeader.ENCODED_BYTES + 12;
    }

    @Override
    public void encode(ByteBuffer out) {
        FixedHeader.encode(out, xid, version, credits, FixedHeader.RDMA_ERROR);
        out.putInt(CODE).putInt((int) lowestVersion).putInt((int) highestVersion);
    }
}
