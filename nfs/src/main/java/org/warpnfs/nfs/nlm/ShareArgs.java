package org.warpnfs.nfs.nlm;

import java.io.IOException;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.warpnfs.nfs.export.NfsHandles;
import org.warpnfs.nfs.xdr.BoundedXdr;

/**
 * nlm4_shareargs (RFC 1813, section 6.1.3).
 *
 * <pre>
 *   netobj     cookie
 *   string     caller_name&lt;1024&gt;
 *   netobj     fh
 *   netobj     oh
 *   fsh4_mode  mode      what others may not do: bits 1 for reading, 2 for writing
 *   fsh4_access access   what the caller will do: the same bits
 *   bool       reclaim
 * </pre>
 */
record ShareArgs(Netobj cookie, String callerName, Netobj file, Netobj owner, int deny, int access, boolean reclaim) {
    private static final int WRITE = 2;
    private static final int MODES = 4;

    static ShareArgs decode(XdrDecodingStream xdr) throws IOException {
        return new ShareArgs(
                Netobj.decode(xdr),
                NlmLock.name(xdr),
                Netobj.decode(xdr, NfsHandles.MAX_LENGTH_BYTES),
                Netobj.decode(xdr),
                BoundedXdr.ordinal(xdr, MODES),
                BoundedXdr.ordinal(xdr, MODES),
                BoundedXdr.bool(xdr));
    }

    /** True if the caller will write. */
    boolean writes() {
        return (access & WRITE) != 0;
    }
}
