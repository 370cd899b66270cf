package org.warpnfs.nfs.v3;

import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.jspecify.annotations.Nullable;

/** post_op_attr (RFC 1813, section 2.6): attributes after an operation, if they could be read. */
record PostOpAttr(@Nullable Fattr3 attributes) {
    static final PostOpAttr ABSENT = new PostOpAttr(null);
    static final int MAX_ENCODED_BYTES = Integer.BYTES + Fattr3.ENCODED_BYTES;

    void encode(XdrEncodingStream xdr) {
        xdr.xdrEncodeBoolean(attributes != null);
        if (attributes != null) {
            attributes.encode(xdr);
        }
    }

    int encodedBytes() {
        return attributes == null ? Integer.BYTES : MAX_ENCODED_BYTES;
    }
}
