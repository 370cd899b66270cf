package org.warpnfs.nfs.nlm;

import java.io.IOException;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.warpnfs.nfs.xdr.BoundedXdr;

/** nlm4_cancargs (RFC 1813, section 6.1.3): cookie, block, exclusive, alock. */
record CancelArgs(Netobj cookie, boolean block, boolean exclusive, NlmLock lock) {
    static CancelArgs decode(XdrDecodingStream xdr) throws IOException {
        return new CancelArgs(Netobj.decode(xdr), BoundedXdr.bool(xdr), BoundedXdr.bool(xdr), NlmLock.decode(xdr));
    }
}
