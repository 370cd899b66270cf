package org.warpnfs.nfs.v4.state.client;

import org.warpnfs.nfs.v4.xdr.CompoundWriter;

/** An encoded COMPOUND4res, kept for a retry. */
public final class CachedReply {
    private final byte[] encoded;

    /** Takes ownership of {@code encoded}, which must not be changed any more. */
    public CachedReply(byte[] encoded) {
        this.encoded = encoded;
    }

    int lengthBytes() {
        return encoded.length;
    }

    public void encode(CompoundWriter out) {
        out.fixedOpaque(encoded);
    }
}
