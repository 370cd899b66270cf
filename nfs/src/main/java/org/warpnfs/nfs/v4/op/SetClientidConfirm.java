package org.warpnfs.nfs.v4.op;

import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;

/** SETCLIENTID_CONFIRM (RFC 7530, section 16.34), of NFSv4.0 alone. */
final class SetClientidConfirm implements ChangingOperation {
    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception {
        long id = in.int64();
        long confirmVerifier = in.int64();
        call.calling()
                .confirmed(call.services()
                        .state()
                        .clientids()
                        .confirm(
                                call.nowNanos(),
                                id,
                                confirmVerifier,
                                call.calling().principal()));
    }
}
