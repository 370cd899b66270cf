package org.warpnfs.nfs.v4.op;

import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/**
 * RENEW (RFC 7530, section 16.28), of NFSv4.0 alone: whatever names a client renews its lease, and this does nothing
 * else. Its lease is renewed also when it is told that callbacks do not reach it.
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
