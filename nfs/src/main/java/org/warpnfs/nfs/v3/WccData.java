package org.warpnfs.nfs.v3;

import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileAttributes;

/**
 * wcc_data (RFC 1813, section 2.6): attributes before and after a change, by which a client tells its own change from
 * others'.
 *
 * @param before what {@code wcc_attr} shows of it: size, mtime, ctime; absent unless nothing else changed between the
 *     two
 */
record WccData(@Nullable FileAttributes before, PostOpAttr after) {
    void encode(XdrEncodingStream xdr) {
        xdr.xdrEncodeBoolean(before != null);
        if (before != null) {
            xdr.xdrEncodeLong(before.sizeBytes());
            NfsTime3.of(before.modifyTime()).encode(xdr);
            NfsTime3.of(before.changeTime()).encode(xdr);
        }
        after.encode(xdr);
    }

    /** Of something that may have changed, of which only the present is known. */
    static WccData after(PostOpAttr after) {
        return new WccData(null, after);
    }
}
