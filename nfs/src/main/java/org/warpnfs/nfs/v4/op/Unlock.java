package org.warpnfs.nfs.v4.op;

import org.warpnfs.nfs.v4.state.file.FileKey;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.OpCode;
import org.warpnfs.nfs.v4.xdr.Stateid;

/** LOCKU (RFC 8881, section 18.12). */
final class Unlock implements ChangingOperation {
    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception {
        LockTypes.decodeExclusive(in);
        int seqid = in.int32();
        Stateid stateid = call.files().resolve(in.stateid());
        long offset = in.int64();
        long length = in.int64();
        FileKey file = FileKey.of(call.files().current().identity());
        if (OwnerSequence.repeats(call, OpCode.LOCKU, stateid, seqid, out)) {
            return;
        }
        Stateid left = call.services()
                .state()
                .locks()
                .unlock(call.calling().clientOf(stateid), file, stateid, LockTypes.range(offset, length));
        call.files().setCurrentStateid(left);
        left.encode(out);
    }
}
