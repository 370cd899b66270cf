package org.warpnfs.nfs.v3;

import java.io.IOException;
import java.util.Arrays;
import java.util.HexFormat;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.warpnfs.nfs.export.NfsHandles;
import org.warpnfs.nfs.xdr.BoundedXdr;

/** nfs_fh3 (RFC 1813, section 2.4): at most 64 bytes, which may not have come from this server. */
final class Nfs3Handle {
    private final byte[] bytes;

    private Nfs3Handle(byte[] bytes) {
        this.bytes = bytes;
    }

    static Nfs3Handle of(byte[] bytes) {
        return new Nfs3Handle(bytes.clone());
    }

    static Nfs3Handle decode(XdrDecodingStream xdr) throws IOException {
        return new Nfs3Handle(BoundedXdr.opaque(xdr, NfsHandles.MAX_LENGTH_BYTES));
    }

    void encode(XdrEncodingStream xdr) {
        xdr.xdrEncodeDynamicOpaque(bytes);
    }

    byte[] toBytes() {
        return bytes.clone();
    }

    /** Length of the encoding: length word, bytes, pad. */
    int encodedBytes() {
        return Integer.BYTES + Filename3.padded(bytes.length);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Nfs3Handle handle && Arrays.equals(bytes, handle.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return HexFormat.of().formatHex(bytes);
    }
}
