package org.warpnfs.nfs.v4.op;

import java.util.Optional;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** DESTROY_CLIENTID (RFC 8881, section 18.50). */
final class DestroyClientId implements Operation {
    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception {
        long clientId = in.int64();
        Optional<Client> client = call.services().state().sessions().clientOf(clientId);
        if (client.isPresent()) {
            call.calling().requireMachineCredential(client.get(), OpCode.DESTROY_CLIENTID);
        }
        call.services().state().sessions().destroyClient(clientId);
    }
}
