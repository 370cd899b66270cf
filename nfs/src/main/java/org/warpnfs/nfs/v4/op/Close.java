package org.warpnfs.nfs.v4.op;

import org.warpnfs.nfs.v4.state.file.FileKey;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.OpCode;
import org.warpnfs.nfs.v4.xdr.Stateid;

/** CLOSE (RFC 8881, section 18.2). It releases the locks under the open too. */
final class Close implements ChangingOperation {
    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception {
        int seqid = in.int32();
        Stateid stateid = call.files().resolve(in.stateid());
        FileKey file = FileKey.of(call.files().current().identity());
        if (OwnerSequence.repeats(call, OpCode.CLOSE, stateid, seqid, out)) {
            return;
        }
        Stateid closed = call.services().state().opens().close(call.calling().clientOf(stateid), file, stateid);
        Stateid left = call.minorVersion() == 0 ? closed : Stateid.INVALID;
        call.files().setCurrentStateid(left);
        left.encode(out);
    }
}
