package org.warpnfs.nfs.v4.op;

import org.warpnfs.nfs.v4.state.callback.OfferedCredentials;
import org.warpnfs.nfs.v4.state.client.Session;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/**
 * BACKCHANNEL_CTL (RFC 8881, section 18.33): sets another program for callbacks and adds credentials. The back channel
 * is tested before the server relies on it. NOENT if the caller is not the principal that made the client.
 */
final class BackchannelCtl implements Operation {
    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception {
        int program = in.int32();
        Session session = call.calling().session();
        if (session == null) {
            throw Nfs4Exception.of(Nfs4Status.OP_NOT_IN_SESSION);
        }
        CallbackSecurity offer = CallbackSecurity.decode(in);
        call.calling().requireMachineCredential(session.client(), OpCode.BACKCHANNEL_CTL);
        OfferedCredentials credentials = offer.ofOwner(call, session.client());
        call.services().state().callbacks().change(session, program, credentials);
        call.calling().changed(session);
    }
}
