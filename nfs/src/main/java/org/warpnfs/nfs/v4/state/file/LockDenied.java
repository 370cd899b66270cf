package org.warpnfs.nfs.v4.state.file;

import org.warpnfs.nfs.locks.HeldLock;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Opaque;

/**
 * NFS4ERR_DENIED with LOCK4denied, which describes the conflicting lock (RFC 8881, section 18.10.2). The owner of a
 * lock of another protocol has no client id, and 0 in its place.
 */
final class LockDenied extends Nfs4Exception {
    private static final long serialVersionUID = 1L;
    private static final int READ_LT = 1;
    private static final int WRITE_LT = 2;

    private final transient HeldLock holder;

    LockDenied(HeldLock holder) {
        super(Nfs4Status.DENIED, "DENIED");
        this.holder = holder;
    }

    @Override
    public void encodeBody(CompoundWriter out) {
        out.int64(holder.range().first());
        out.int64(holder.range().length());
        out.int32(holder.exclusive() ? WRITE_LT : READ_LT);
        out.int64(holder.owner() instanceof LockOwner owner ? owner.client().id() : 0);
        Opaque.of(holder.owner().name()).encode(out);
    }
}
