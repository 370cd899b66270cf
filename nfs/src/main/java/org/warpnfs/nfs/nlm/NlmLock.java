package org.warpnfs.nfs.nlm;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.warpnfs.nfs.export.NfsHandles;
import org.warpnfs.nfs.locks.ByteRange;
import org.warpnfs.nfs.xdr.BoundedXdr;

/**
 * nlm4_lock (RFC 1813, section 6.1.3).
 *
 * <pre>
 *   string    caller_name&lt;1024&gt;
 *   netobj    fh
 *   netobj    oh
 *   int32     svid
 *   uint64    l_offset
 *   uint64    l_len      0 for "to the end of the file, wherever that will be"
 * </pre>
 */
record NlmLock(String callerName, Netobj file, Netobj owner, int process, long offset, long length) {
    static final int MAX_NAME_BYTES = 1024;

    static NlmLock decode(XdrDecodingStream xdr) throws IOException {
        return new NlmLock(
                name(xdr),
                Netobj.decode(xdr, NfsHandles.MAX_LENGTH_BYTES),
                Netobj.decode(xdr),
                xdr.xdrDecodeInt(),
                xdr.xdrDecodeLong(),
                xdr.xdrDecodeLong());
    }

    /** One character per byte, so that no byte is lost. */
    static String name(XdrDecodingStream xdr) throws IOException {
        return new String(BoundedXdr.opaque(xdr, MAX_NAME_BYTES), StandardCharsets.ISO_8859_1);
    }

    /** The range. One that would extend beyond the last possible byte extends to it. */
    ByteRange range() {
        return length == 0
                ? new ByteRange(offset, ByteRange.TO_EOF)
                : ByteRange.of(offset, length).orElse(new ByteRange(offset, ByteRange.TO_EOF));
    }

    /** The length of a range as l_len. */
    static long lengthOf(ByteRange range) {
        return range.last() == -1 ? 0 : range.length();
    }

    void encode(XdrBytes out) {
        out.string(callerName)
                .opaque(file.toBytes())
                .opaque(owner.toBytes())
                .word(process)
                .hyper(offset)
                .hyper(length);
    }
}
