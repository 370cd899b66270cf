package org.warpnfs.nfs.nlm;

import java.io.IOException;
import java.util.Arrays;
import java.util.HexFormat;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.warpnfs.keys.KeyedHash;
import org.warpnfs.nfs.xdr.BoundedXdr;

/** netobj (X/Open XNFS, section 10.3): at most 1024 bytes that mean something to their sender alone. */
final class Netobj {
    static final int MAX_LENGTH_BYTES = 1024;
    static final Netobj EMPTY = new Netobj(new byte[0]);

    private final byte[] bytes;

    private Netobj(byte[] bytes) {
        this.bytes = bytes;
    }

    static Netobj of(byte[] bytes) {
        return new Netobj(bytes.clone());
    }

    static Netobj decode(XdrDecodingStream xdr) throws IOException {
        return decode(xdr, MAX_LENGTH_BYTES);
    }

    static Netobj decode(XdrDecodingStream xdr, int maxLengthBytes) throws IOException {
        return new Netobj(BoundedXdr.opaque(xdr, maxLengthBytes));
    }

    byte[] toBytes() {
        return bytes.clone();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Netobj same && Arrays.equals(bytes, same.bytes);
    }

    @Override
    public int hashCode() {
        return KeyedHash.of(bytes);
    }

    @Override
    public String toString() {
        return HexFormat.of().formatHex(bytes);
    }
}
