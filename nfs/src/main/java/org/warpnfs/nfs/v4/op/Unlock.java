package org.warpnfs.nfs.v4.op;

import org.warpnfs.nfs.v4.state.ByteRange;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Stateid;
import org.warpnfs.nfs.v4.xdr.XdrReader;
import org.warpnfs.nfs.v4.xdr.XdrWriter;

/** LOCKU (RFC 8881 section 18.12). */
final class Unlock implements ChangingOperation {
    @Override
    public void execute(CallContext call, XdrReader in, XdrWriter out) throws Nfs4Exception {
        LockTypes.decodeExclusive(in);
        in.int32();
        Stateid stateid = call.resolve(in.stateid());
        ByteRange range = ByteRange.of(in.int64(), in.int64());
        Stateid left = call.services()
                .state()
                .locks()
                .unlock(call.client(), CallContext.keyOf(call.current()), stateid, range);
        call.setCurrentStateid(left);
        left.encode(out);
    }
}
