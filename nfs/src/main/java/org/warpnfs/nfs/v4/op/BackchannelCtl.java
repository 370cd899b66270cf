package org.warpnfs.nfs.v4.op;

import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.XdrReader;
import org.warpnfs.nfs.v4.xdr.XdrWriter;

/** BACKCHANNEL_CTL (RFC 8881 section 18.33): noted by nobody as long as there are no callbacks. */
final class BackchannelCtl implements Operation {
    @Override
    public void execute(CallContext call, XdrReader in, XdrWriter out) throws Nfs4Exception {
        in.int32();
        CallbackSecurity.skip(in);
    }
}
