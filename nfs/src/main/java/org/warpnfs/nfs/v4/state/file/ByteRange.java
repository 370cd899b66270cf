package org.warpnfs.nfs.v4.state.file;

import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/**
 * A range of bytes, including both ends, compared unsigned.
 *
 * @param first its first byte
 * @param last its last byte; all ones for "to the end of the file, wherever that will be"
 */
public record ByteRange(long first, long last) {
    /** NFS_UINT64_MAX as a length: to the end of the file. */
    public static final long TO_EOF = -1;

    /**
     * The range of an offset and a length, as in LOCK (RFC 8881, section 18.10.3); INVAL if it is empty or extends
     * beyond the last possible byte.
     */
    public static ByteRange of(long offset, long length) throws Nfs4Exception {
        if (length == 0) {
            throw Nfs4Exception.of(Nfs4Status.INVAL);
        }
        if (length == TO_EOF) {
            return new ByteRange(offset, -1);
        }
        long room = -1 - offset;
        if (Long.compareUnsigned(length - 1, room) > 0) {
            throw Nfs4Exception.of(Nfs4Status.INVAL);
        }
        return new ByteRange(offset, offset + (length - 1));
    }

    /** The length, as in LOCK. */
    public long length() {
        return last == -1 ? TO_EOF : last - first + 1;
    }

    boolean overlaps(ByteRange other) {
        return Long.compareUnsigned(first, other.last) <= 0 && Long.compareUnsigned(other.first, last) <= 0;
    }

    /** True if {@code other} begins directly after this range. */
    boolean touches(ByteRange other) {
        return last != -1 && last + 1 == other.first;
    }
}
