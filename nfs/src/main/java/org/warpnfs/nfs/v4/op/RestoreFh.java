package org.warpnfs.nfs.v4.op;

import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/**
 * RESTOREFH (RFC 8881, section 18.27). If no filehandle was saved, NFSv4.0 has an error of its own (RFC 7530, section
 * 16.31.4).
 */
final class RestoreFh implements Operation {
    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception {
        if (call.minorVersion() == 0 && !call.files().hasSaved()) {
            throw Nfs4Exception.of(Nfs4Status.RESTOREFH);
        }
        call.files().restore(PutFilehandle.isJudgedLater(call.operationsAfter(), in, call.minorVersion()));
    }
}
