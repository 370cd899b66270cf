package org.warpnfs.nfs.v4.layout;

import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;

/** Bytes that clients say they have moved at data servers: two io_info4 (RFC 7862, section 15.7.1). */
public record DeviceUse(long readBytes, long writtenBytes) {
    public static final DeviceUse NONE = new DeviceUse(0, 0);

    /** The most that one report counts for, so that no client makes the sum useless. */
    private static final long MAX_BYTES = 1L << 50;

    /** Decodes what was read and what was written: a count and bytes of each. */
    public static DeviceUse decode(CompoundReader in) throws Nfs4Exception {
        in.int64();
        long read = in.int64();
        in.int64();
        long written = in.int64();
        return new DeviceUse(bounded(read), bounded(written));
    }

    public DeviceUse plus(DeviceUse more) {
        return new DeviceUse(bounded(readBytes + more.readBytes), bounded(writtenBytes + more.writtenBytes));
    }

    private static long bounded(long bytes) {
        return bytes < 0 || bytes > MAX_BYTES ? MAX_BYTES : bytes;
    }
}
