package org.warpnfs.nfs.v4.op;

import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.XdrReader;
import org.warpnfs.nfs.v4.xdr.XdrWriter;

/** DELEGRETURN (RFC 8881 section 18.6): there are no delegations to return. */
final class DelegReturn implements Operation {
    @Override
    public void execute(CallContext call, XdrReader in, XdrWriter out) throws Nfs4Exception {
        in.stateid();
        call.current();
        throw Nfs4Exception.of(Nfs4Status.BAD_STATEID);
    }
}
