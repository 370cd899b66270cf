package org.warpnfs.nfs.v3;

import org.dcache.oncrpc4j.xdr.XdrAble;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;

/** A procedure's result as it goes out, to be sent again. Immutable. */
final class EncodedReply implements XdrAble {
    private final byte[] bytes;

    /** Takes over {@code bytes}, which nobody changes any more: whole words. */
    EncodedReply(byte[] bytes) {
        this.bytes = bytes;
    }

    int lengthBytes() {
        return bytes.length;
    }

    @Override
    public void xdrEncode(XdrEncodingStream xdr) {
        xdr.xdrEncodeOpaque(bytes, 0, bytes.length);
    }

    @Override
    public void xdrDecode(XdrDecodingStream xdr) {
        throw new UnsupportedOperationException("a server does not read replies");
    }
}
