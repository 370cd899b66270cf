package org.warpnfs.nfs.nlm;

import java.io.IOException;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;

/** nlm4_unlockargs (RFC 1813, section 6.1.3): cookie, alock. */
record UnlockArgs(Netobj cookie, NlmLock lock) {
    static UnlockArgs decode(XdrDecodingStream xdr) throws IOException {
        return new UnlockArgs(Netobj.decode(xdr), NlmLock.decode(xdr));
    }
}
