package org.warpnfs.nfs.v4.op;

import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;

/**
 * RECLAIM_COMPLETE (RFC 8881, section 18.51). For a single file system it ends no reclaims, since this server moves
 * none, but it permits new state outside the grace period.
 */
final class ReclaimComplete implements ChangingOperation {
    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception {
        boolean oneFileSystem = in.bool();
        if (oneFileSystem) {
            call.files().current();
            call.services()
                    .state()
                    .sessions()
                    .reclaimCompleteOfOne(call.calling().client());
            return;
        }
        call.services().state().sessions().reclaimComplete(call.calling().client());
    }
}
