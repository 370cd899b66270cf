package org.warpnfs.nfs.v4.layout;

import org.warpnfs.keys.KeyedHash;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;

/** deviceid4 (RFC 8881, section 3.3.14): sixteen bytes that name a data server. */
public record DeviceId(long high, long low) {
    @Override
    public int hashCode() {
        return KeyedHash.of(high, low);
    }

    public static DeviceId decode(CompoundReader in) throws Nfs4Exception {
        return new DeviceId(in.int64(), in.int64());
    }

    public void encode(CompoundWriter out) {
        out.int64(high);
        out.int64(low);
    }
}
