package org.warpnfs.nfs.v4.op;

import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/** xattrkey4 (RFC 8276, section 8.1): names in the user namespace, without its prefix. */
final class XattrNames {
    static final int MAX_VALUE_BYTES = 64 * 1024;

    private static final int MAX_DECODED_BYTES = 4096;
    private static final int MAX_NAME_BYTES = 250;

    private XattrNames() {}

    static byte[] decode(CompoundReader in) throws Nfs4Exception {
        byte[] name = in.opaque(MAX_DECODED_BYTES);
        if (name.length == 0) {
            throw Nfs4Exception.of(Nfs4Status.INVAL);
        }
        if (name.length > MAX_NAME_BYTES) {
            throw Nfs4Exception.of(Nfs4Status.NAMETOOLONG);
        }
        for (byte b : name) {
            if (b == 0) {
                throw Nfs4Exception.of(Nfs4Status.BADCHAR);
            }
        }
        return name;
    }
}
