package org.warpnfs.nfs.v4.state.file;

import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/** NFS4ERR_DENIED with LOCK4denied, which describes the conflicting lock (RFC 8881, section 18.10.2). */
final class LockDenied extends Nfs4Exception {
    private static final long serialVersionUID = 1L;
    private static final int READ_LT = 1;
    private static final int WRITE_LT = 2;

    private final transient ByteRangeLocks.Held<LockOwner> holder;

    LockDenied(ByteRangeLocks.Held<LockOwner> holder) {
        super(Nfs4Status.DENIED, "DENIED");
        this.holder = holder;
    }

    @Override
    public void encodeBody(CompoundWriter out) {
        out.int64(holder.range().first());
        out.int64(holder.range().length());
        out.int32(holder.exclusive() ? WRITE_LT : READ_LT);
        out.int64(holder.owner().client().id());
        holder.owner().owner().encode(out);
    }
}
