package org.warpnfs.nfs.nlm;

import java.io.IOException;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.warpnfs.nfs.xdr.BoundedXdr;

/**
 * nlm4_lockargs (RFC 1813, section 6.1.3): cookie, block, exclusive, alock, reclaim, state.
 *
 * @param state of the client's status monitor
 */
record LockArgs(Netobj cookie, boolean block, boolean exclusive, NlmLock lock, boolean reclaim, int state) {
    static LockArgs decode(XdrDecodingStream xdr) throws IOException {
        return new LockArgs(
                Netobj.decode(xdr),
                BoundedXdr.bool(xdr),
                BoundedXdr.bool(xdr),
                NlmLock.decode(xdr),
                BoundedXdr.bool(xdr),
                xdr.xdrDecodeInt());
    }
}
