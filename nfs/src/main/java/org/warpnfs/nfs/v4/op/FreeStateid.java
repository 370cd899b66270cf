package org.warpnfs.nfs.v4.op;

import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Stateid;

/** FREE_STATEID (RFC 8881, section 18.38). */
final class FreeStateid implements ChangingOperation {
    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception {
        Stateid stateid = call.files().resolve(in.stateid());
        call.services().state().stateids().freeStateid(call.calling().client(), stateid);
    }
}
