package org.warpnfs.nfs.v4.op;

import org.warpnfs.nfs.v4.state.file.FileKey;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.OpCode;
import org.warpnfs.nfs.v4.xdr.Stateid;

/** OPEN_CONFIRM (RFC 7530, section 16.18), of NFSv4.0 alone. It confirms an owner's first OPEN. */
final class OpenConfirm implements ChangingOperation {
    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception {
        Stateid stateid = in.stateid();
        int seqid = in.int32();
        FileKey file = FileKey.of(call.files().current().identity());
        if (OwnerSequence.repeats(call, OpCode.OPEN_CONFIRM, stateid, seqid, out)) {
            return;
        }
        call.services()
                .state()
                .owners()
                .confirm(call.calling().clientOf(stateid), file, stateid)
                .encode(out);
    }
}
