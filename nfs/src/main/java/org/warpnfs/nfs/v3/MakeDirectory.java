package org.warpnfs.nfs.v3;

import java.io.IOException;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FsException;

/** MKDIR (RFC 1813, section 3.3.9). */
final class MakeDirectory extends NewNode<MakeDirectory.Args> {
    private static final int PERMISSIONS = 0700;

    /** MKDIR3args. */
    record Args(DirOpArgs3 where, Sattr3 attributes) {}

    @Override
    public Args decode(XdrDecodingStream xdr) throws IOException {
        return new Args(DirOpArgs3.decode(xdr), Sattr3.decode(xdr));
    }

    @Override
    DirOpArgs3 where(Args args) {
        return args.where();
    }

    @Override
    FileNode make(Nfs3Call call, Nfs3File directory, FileName name, Args args) throws FsException, Nfs3Exception {
        return directory
                .fileSystem()
                .makeDirectory(
                        directory.caller(),
                        directory.handle(),
                        name,
                        args.attributes().changesWithPermissionsOr(PERMISSIONS).withSize(null));
    }
}
