package org.warpnfs.nfs.v4.op;

import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Opaque;

/** RELEASE_LOCKOWNER (RFC 7530, section 16.37), of NFSv4.0 alone. */
final class ReleaseLockOwner implements ChangingOperation {
    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception {
        Client client = call.calling().clientById(in.int64());
        call.services().state().owners().releaseLockOwner(client, Opaque.decode(in));
    }
}
