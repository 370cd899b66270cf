package org.warpnfs.nfs.v4.xdr;

import java.util.Arrays;
import java.util.HexFormat;
import org.warpnfs.keys.KeyedHash;

/** Bytes that a client chose, such as owners of all kinds. The server only compares them and returns them. */
public final class Opaque {
    /** NFS4_OPAQUE_LIMIT (RFC 8881, section 3.1). */
    public static final int MAX_LENGTH_BYTES = 1024;

    private final byte[] bytes;
    private final int hash;

    private Opaque(byte[] bytes) {
        this.bytes = bytes;
        this.hash = KeyedHash.of(bytes);
    }

    public static Opaque of(byte[] bytes) {
        return new Opaque(bytes.clone());
    }

    public static Opaque decode(CompoundReader in) throws Nfs4Exception {
        return new Opaque(in.opaque(MAX_LENGTH_BYTES));
    }

    public void encode(CompoundWriter out) {
        out.opaque(bytes);
    }

    public byte[] toBytes() {
        return bytes.clone();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Opaque opaque && hash == opaque.hash && Arrays.equals(bytes, opaque.bytes);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    @Override
    public String toString() {
        return HexFormat.of().formatHex(bytes);
    }
}
