package org.warpnfs.nfs.v4.op;

import org.warpnfs.nfs.v4.state.OpenRequest;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Stateid;
import org.warpnfs.nfs.v4.xdr.XdrReader;
import org.warpnfs.nfs.v4.xdr.XdrWriter;

/** OPEN_DOWNGRADE (RFC 8881 section 18.18). */
final class OpenDowngrade implements ChangingOperation {
    @Override
    public void execute(CallContext call, XdrReader in, XdrWriter out) throws Nfs4Exception {
        Stateid stateid = call.resolve(in.stateid());
        in.int32();
        int access = in.int32() & OpenRequest.BOTH;
        int deny = in.int32();
        if (access == 0 || (deny & ~OpenRequest.BOTH) != 0) {
            throw Nfs4Exception.of(Nfs4Status.INVAL);
        }
        Stateid left = call.services()
                .state()
                .opens()
                .downgrade(call.client(), CallContext.keyOf(call.current()), stateid, access, deny);
        call.setCurrentStateid(left);
        left.encode(out);
    }
}
