package org.warpnfs.nfs.v4.op;

import org.warpnfs.nfs.v4.state.file.FileKey;
import org.warpnfs.nfs.v4.state.file.OpenRequest;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;
import org.warpnfs.nfs.v4.xdr.Stateid;

/** OPEN_DOWNGRADE (RFC 8881, section 18.18). */
final class OpenDowngrade implements ChangingOperation {
    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception {
        Stateid stateid = call.files().resolve(in.stateid());
        int seqid = in.int32();
        int shareAccess = in.int32();
        int deny = in.int32();
        FileKey file = FileKey.of(call.files().current().identity());
        if (OwnerSequence.repeats(call, OpCode.OPEN_DOWNGRADE, stateid, seqid, out)) {
            return;
        }
        // From NFSv4.1 on, the higher bits are wants of delegations.
        int access = call.minorVersion() == 0 ? shareAccess : shareAccess & OpenRequest.BOTH;
        if (access == 0 || (access & ~OpenRequest.BOTH) != 0 || (deny & ~OpenRequest.BOTH) != 0) {
            throw Nfs4Exception.of(Nfs4Status.INVAL);
        }
        Stateid left = call.services()
                .state()
                .opens()
                .downgrade(call.calling().clientOf(stateid), file, stateid, access, deny);
        call.files().setCurrentStateid(left);
        left.encode(out);
    }
}
