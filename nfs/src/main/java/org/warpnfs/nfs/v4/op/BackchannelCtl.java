package org.warpnfs.nfs.v4.op;

import org.warpnfs.nfs.v4.state.callback.OfferedCredentials;
import org.warpnfs.nfs.v4.state.client.Session;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/**
 * BACKCHANNEL_CTL (RFC 8881, section 18.33): sets another program for callbacks and adds credentials. The back channel
 * is tested before the server relies on it.
 */
final class BackchannelCtl implements Operation {
    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception {
        int program = in.int32();
        OfferedCredentials credentials = CallbackSecurity.decode(call, in);
        Session session = call.calling().session();
        if (session == null) {
            throw Nfs4Exception.of(Nfs4Status.OP_NOT_IN_SESSION);
        }
        call.services().state().callbacks().change(session, program, credentials);
        call.calling().connectionBound();
    }
}
