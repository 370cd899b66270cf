package org.warpnfs.nfs.v4.op;

import org.warpnfs.nfs.v4.state.file.FileKey;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Stateid;

/** DELEGRETURN (RFC 8881, section 18.6). */
final class DelegReturn implements ChangingOperation {
    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception {
        Stateid stateid = call.files().resolve(in.stateid());
        call.services()
                .state()
                .delegations()
                .giveBack(
                        call.calling().clientOf(stateid),
                        FileKey.of(call.files().current().identity()),
                        stateid);
    }
}
