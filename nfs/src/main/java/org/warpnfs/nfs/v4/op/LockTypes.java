package org.warpnfs.nfs.v4.op;

import org.warpnfs.nfs.locks.ByteRange;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/**
 * nfs_lock_type4 (RFC 8881, section 18.10). Clients that use the blocking types, 3 and 4, stand in line while they are
 * denied, and ask again when they are told or after a time of their own.
 */
final class LockTypes {
    private LockTypes() {}

    static boolean decodeExclusive(CompoundReader in) throws Nfs4Exception {
        return isExclusive(decode(in));
    }

    static boolean isExclusive(int type) {
        return type % 2 == 0;
    }

    /** True for READW_LT and WRITEW_LT: the client waits for the lock. */
    static boolean isWaiting(int type) {
        return type > 2;
    }

    static int decode(CompoundReader in) throws Nfs4Exception {
        int type = in.int32();
        if (type < 1 || type > 4) {
            throw Nfs4Exception.of(Nfs4Status.BADXDR);
        }
        return type;
    }

    /** The range of an offset and a length; INVAL if it has no byte or no end (section 18.10.3). */
    static ByteRange range(long offset, long length) throws Nfs4Exception {
        return ByteRange.of(offset, length).orElseThrow(() -> Nfs4Exception.of(Nfs4Status.INVAL));
    }
}
