package org.warpnfs.nfs.v4.op;

import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Stateid;
import org.warpnfs.nfs.v4.xdr.XdrReader;
import org.warpnfs.nfs.v4.xdr.XdrWriter;

/** CLOSE (RFC 8881 section 18.2): locks under the open go with it. */
final class Close implements ChangingOperation {
    @Override
    public void execute(CallContext call, XdrReader in, XdrWriter out) throws Nfs4Exception {
        in.int32();
        Stateid stateid = call.resolve(in.stateid());
        call.services().state().opens().close(call.client(), CallContext.keyOf(call.current()), stateid);
        call.setCurrentStateid(Stateid.INVALID);
        Stateid.INVALID.encode(out);
    }
}
