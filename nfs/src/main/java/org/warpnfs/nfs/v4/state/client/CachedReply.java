package org.warpnfs.nfs.v4.state.client;

import org.warpnfs.nfs.v4.xdr.CompoundWriter;

/** A COMPOUND4res as it went out, kept for a retry. */
public final class CachedReply {
    private final byte[] encoded;

    /** Takes over {@code encoded}, which nobody changes any more. */
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
