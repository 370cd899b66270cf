package org.warpnfs.nfs.v3;

import java.util.Set;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileAttribute;
import org.warpnfs.fs.spi.FileAttributes;

/**
 * wcc_data (RFC 1813, section 2.6): attributes before and after a change, by which a client distinguishes its own
 * change from others'.
 *
 * @param before attributes from which {@code wcc_attr} is made: size, mtime, ctime; absent unless nothing else changed
 *     the file between the two
 */
record WccData(@Nullable FileAttributes before, PostOpAttr after) {
    /** What {@code wcc_attr} is made of. */
    static final Set<FileAttribute> NEEDED =
            FileAttribute.setOf(FileAttribute.SIZE, FileAttribute.MODIFY_TIME, FileAttribute.CHANGE_TIME);

    void encode(XdrEncodingStream xdr) {
        xdr.xdrEncodeBoolean(before != null);
        if (before != null) {
            xdr.xdrEncodeLong(before.sizeBytes());
            NfsTime3.of(before.modifyTime()).encode(xdr);
            NfsTime3.of(before.changeTime()).encode(xdr);
        }
        after.encode(xdr);
    }

    /** For a file that may have been changed and of which only the present attributes are known. */
    static WccData after(PostOpAttr after) {
        return new WccData(null, after);
    }
}
