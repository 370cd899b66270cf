package org.warpnfs.nfs.nlm;

import java.io.IOException;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.warpnfs.nfs.xdr.BoundedXdr;

/** nlm4_testargs (RFC 1813, section 6.1.3): cookie, exclusive, alock. The arguments of GRANTED are the same. */
record TestArgs(Netobj cookie, boolean exclusive, NlmLock lock) {
    static TestArgs decode(XdrDecodingStream xdr) throws IOException {
        return new TestArgs(Netobj.decode(xdr), BoundedXdr.bool(xdr), NlmLock.decode(xdr));
    }

    byte[] toBytes() {
        XdrBytes out = new XdrBytes().opaque(cookie.toBytes()).bool(exclusive);
        lock.encode(out);
        return out.toBytes();
    }
}
