package org.warpnfs.nfs.v3;

import java.io.IOException;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;

/** diropargs3 (RFC 1813, section 2.6): a name in a directory. */
record DirOpArgs3(Nfs3Handle directory, Filename3 name) {
    static DirOpArgs3 decode(XdrDecodingStream xdr) throws IOException {
        return new DirOpArgs3(Nfs3Handle.decode(xdr), Filename3.decode(xdr));
    }
}
