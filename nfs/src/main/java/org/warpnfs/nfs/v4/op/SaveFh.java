package org.warpnfs.nfs.v4.op;

import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;

/** SAVEFH (RFC 8881, section 18.28). It saves the stateid too. */
final class SaveFh implements Operation {
    @Override
    public boolean keepsAttributes() {
        return true;
    }

    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception {
        call.files().save();
    }
}
