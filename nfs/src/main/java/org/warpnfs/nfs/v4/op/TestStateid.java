package org.warpnfs.nfs.v4.op;

import java.util.ArrayList;
import java.util.List;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/** TEST_STATEID (RFC 8881, section 18.48). */
final class TestStateid implements Operation {
    private static final int MAX_STATEIDS = 4096;

    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception {
        int count = in.count(MAX_STATEIDS);
        List<Nfs4Status> statuses = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            statuses.add(call.services()
                    .state()
                    .stateids()
                    .testStateid(call.calling().client(), in.stateid()));
        }
        out.int32(count);
        statuses.forEach(status -> out.int32(status.code()));
    }
}
