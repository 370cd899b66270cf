package org.warpnfs.nfs.v3;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.xdr.BoundedXdr;

/** SYMLINK (RFC 1813, section 3.3.10). The text is DDP-eligible (RFC 8267, section 4). */
final class MakeSymlink extends NewNode<MakeSymlink.Args> {
    private static final int MAX_TARGET_BYTES = 4095;

    /**
     * SYMLINK3args.
     *
     * @param target a copy of the text; if the text is too long for any symlink, a copy of its beginning
     */
    record Args(DirOpArgs3 where, Sattr3 attributes, ByteBuffer target) {}

    @Override
    public Args decode(XdrDecodingStream xdr) throws IOException {
        DirOpArgs3 where = DirOpArgs3.decode(xdr);
        Sattr3 attributes = Sattr3.decode(xdr);
        ByteBuffer lent = BoundedXdr.lentOpaque(xdr);
        byte[] kept = new byte[Math.min(lent.remaining(), MAX_TARGET_BYTES + 1)];
        lent.get(kept);
        return new Args(where, attributes, ByteBuffer.wrap(kept).asReadOnlyBuffer());
    }

    @Override
    DirOpArgs3 where(Args args) {
        return args.where();
    }

    @Override
    FileNode make(Nfs3Call call, Nfs3File directory, FileName name, Args args) throws FsException, Nfs3Exception {
        byte[] target = new byte[args.target().remaining()];
        args.target().duplicate().get(target);
        if (target.length > MAX_TARGET_BYTES) {
            throw new Nfs3Exception(Nfs3Status.NAMETOOLONG);
        }
        if (target.length == 0 || holdsNul(target)) {
            throw new Nfs3Exception(Nfs3Status.INVAL);
        }
        return directory
                .fileSystem()
                .makeSymlink(
                        directory.caller(),
                        directory.handle(),
                        name,
                        target,
                        args.attributes().changes().withSize(null));
    }

    private static boolean holdsNul(byte[] target) {
        for (byte b : target) {
            if (b == 0) {
                return true;
            }
        }
        return false;
    }
}
