package org.warpnfs.nfs.v3;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.xdr.PayloadXdr;
import org.warpnfs.payload.Payload;

/** READLINK (RFC 1813, section 3.3.5). The text is DDP-eligible (RFC 8267, section 4). */
final class ReadLink implements Nfs3Procedure<Nfs3Handle> {
    @Override
    public Nfs3Handle decode(XdrDecodingStream xdr) throws IOException {
        return Nfs3Handle.decode(xdr);
    }

    @Override
    public Nfs3Reply run(Nfs3Call call, Nfs3Handle handle) throws FsException, Nfs3Exception {
        Nfs3File symlink = call.file(handle);
        byte[] text = symlink.fileSystem().readSymlink(symlink.caller(), symlink.handle());
        PostOpAttr after = symlink.postOpAttr();
        return Nfs3Reply.ok(xdr -> {
            after.encode(xdr);
            PayloadXdr.encode(xdr, Payload.unpooled(ByteBuffer.wrap(text)));
        });
    }

    @Override
    public Nfs3Reply.Body failed(Nfs3Call call, Nfs3Handle handle) {
        return call.postOpAttr(handle)::encode;
    }
}
