package org.warpnfs.nfs.v4.state.core;

import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;

/** sessionid4: sixteen bytes. This server makes it of the client id and a random number. */
public record SessionId(long clientId, long random) {
    public static final int LENGTH_BYTES = 16;

    public static SessionId decode(CompoundReader in) throws Nfs4Exception {
        return new SessionId(in.int64(), in.int64());
    }

    public void encode(CompoundWriter out) {
        out.int64(clientId);
        out.int64(random);
    }
}
