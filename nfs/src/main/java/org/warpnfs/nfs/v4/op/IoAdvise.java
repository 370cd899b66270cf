package org.warpnfs.nfs.v4.op;

import java.util.BitSet;
import org.warpnfs.nfs.v4.state.file.FileKey;
import org.warpnfs.nfs.v4.xdr.Bitmap;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Stateid;

/** IO_ADVISE (RFC 7862, section 15.5). It is accepted and has no effect. */
final class IoAdvise implements Operation {
    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception {
        Stateid stateid = call.files().resolve(in.stateid());
        in.int64();
        in.int64();
        Bitmap.decode(in);
        call.services()
                .state()
                .stateids()
                .grantRead(
                        call.nowNanos(),
                        call.calling().client(),
                        FileKey.of(call.files().current().identity()),
                        stateid)
                .close();
        Bitmap.encode(new BitSet(), out);
    }
}
