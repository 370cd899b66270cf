package org.warpnfs.nfs.v4.op;

import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;

/** GETFH (RFC 8881, section 18.8). */
final class GetFh implements Operation {
    @Override
    public boolean keepsAttributes() {
        return true;
    }

    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception {
        out.opaque(call.services().handles().encode(call.files().current()));
    }
}
