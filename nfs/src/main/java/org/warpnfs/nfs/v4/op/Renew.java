package org.warpnfs.nfs.v4.op;

import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/**
 * RENEW (RFC 7530, section 16.28), of NFSv4.0 alone. It only names a client, which renews the client's lease. The lease
 * is renewed even if the answer is that callbacks do not reach the client.
 */
final class Renew implements Operation {
    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception {
        Client client = call.calling().clientById(in.int64());
        if (call.services().state().callbacks().renewed(call.nowNanos(), client)) {
            throw Nfs4Exception.of(Nfs4Status.CB_PATH_DOWN);
        }
    }
}
