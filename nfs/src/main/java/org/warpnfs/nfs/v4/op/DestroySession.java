package org.warpnfs.nfs.v4.op;

import org.warpnfs.nfs.v4.state.client.Session;
import org.warpnfs.nfs.v4.state.core.SessionId;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** DESTROY_SESSION (RFC 8881, section 18.37). It may destroy its own session only if it is the last operation. */
final class DestroySession implements Operation {
    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception {
        SessionId id = SessionId.decode(in);
        Session session = call.calling().session();
        if (session != null && session.id().equals(id) && !call.isLastOperation()) {
            throw Nfs4Exception.of(Nfs4Status.NOT_ONLY_OP);
        }
        call.calling()
                .requireMachineCredential(call.services().state().sessions().clientOf(id), OpCode.DESTROY_SESSION);
        call.services().state().sessions().destroySession(id);
    }
}
