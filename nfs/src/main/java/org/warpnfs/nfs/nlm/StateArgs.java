package org.warpnfs.nfs.nlm;

import java.io.IOException;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;

/** nlm4_notify of FREE_ALL, and stat_chge of SM_NOTIFY (X/Open XNFS, section 11.3): a host's name and its state. */
record StateArgs(String name, int state) {
    static StateArgs decode(XdrDecodingStream xdr) throws IOException {
        return new StateArgs(NlmLock.name(xdr), xdr.xdrDecodeInt());
    }

    byte[] toBytes() {
        return new XdrBytes().string(name).word(state).toBytes();
    }
}
