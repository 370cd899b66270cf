package org.warpnfs.nfs.v3;

import java.io.IOException;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.xdr.BoundedXdr;

/**
 * MKNOD (RFC 1813, section 3.3.11): devices, sockets and FIFOs; BADTYPE for types that have a procedure of their own.
 */
final class MakeNode extends NewNode<MakeNode.Args> {
    private static final int FTYPE_END = 8;

    /**
     * MKNOD3args.
     *
     * @param type null for regular files, directories and symlinks
     */
    record Args(
            DirOpArgs3 where,
            @Nullable FileType type,
            @Nullable Sattr3 attributes,
            int major,
            int minor) {}

    @Override
    public Args decode(XdrDecodingStream xdr) throws IOException {
        DirOpArgs3 where = DirOpArgs3.decode(xdr);
        return switch (BoundedXdr.ordinal(xdr, FTYPE_END)) {
            case 3 -> device(where, FileType.BLOCK_DEVICE, xdr);
            case 4 -> device(where, FileType.CHARACTER_DEVICE, xdr);
            case 6 -> new Args(where, FileType.SOCKET, Sattr3.decode(xdr), 0, 0);
            case 7 -> new Args(where, FileType.FIFO, Sattr3.decode(xdr), 0, 0);
            default -> new Args(where, null, null, 0, 0);
        };
    }

    private static Args device(DirOpArgs3 where, FileType type, XdrDecodingStream xdr) throws IOException {
        return new Args(where, type, Sattr3.decode(xdr), xdr.xdrDecodeInt(), xdr.xdrDecodeInt());
    }

    @Override
    DirOpArgs3 where(Args args) {
        return args.where();
    }

    @Override
    FileNode make(Nfs3Call call, Nfs3File directory, FileName name, Args args) throws FsException, Nfs3Exception {
        if (args.type() == null || args.attributes() == null) {
            throw new Nfs3Exception(Nfs3Status.BADTYPE);
        }
        AttributeChanges attributes =
                args.attributes().changesWithPermissionsOr(Create.PERMISSIONS).withSize(null);
        return directory
                .fileSystem()
                .makeSpecial(
                        directory.caller(),
                        directory.handle(),
                        name,
                        args.type(),
                        args.major(),
                        args.minor(),
                        attributes);
    }
}
