package org.warpnfs.nfs.v3;

import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.warpnfs.fs.spi.FileNode;

/**
 * Result of CREATE, MKDIR, SYMLINK and MKNOD (RFC 1813, section 3.3.8 to §3.3.11): handle, attributes, the directory's
 * wcc_data.
 */
record CreatedNode(Nfs3Handle handle, PostOpAttr attributes, WccData directory) implements Nfs3Reply.Body {
    static Nfs3Reply reply(Nfs3Call call, Nfs3File directory, FileNode node, WccData wcc) {
        return Nfs3Reply.ok(new CreatedNode(
                call.handleOf(directory.export(), node.handle()), directory.postOpAttr(node.attributes()), wcc));
    }

    @Override
    public void encode(XdrEncodingStream xdr) {
        xdr.xdrEncodeBoolean(true);
        handle.encode(xdr);
        attributes.encode(xdr);
        directory.encode(xdr);
    }
}
