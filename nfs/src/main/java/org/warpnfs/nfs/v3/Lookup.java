package org.warpnfs.nfs.v3;

import java.io.IOException;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsException;

/** LOOKUP (RFC 1813 §3.3.3); {@code ..} leads up to the export's root and no further. */
final class Lookup implements Nfs3Procedure<DirOpArgs3> {
    @Override
    public DirOpArgs3 decode(XdrDecodingStream xdr) throws IOException {
        return DirOpArgs3.decode(xdr);
    }

    @Override
    public Nfs3Reply run(Nfs3Call call, DirOpArgs3 args) throws FsException, Nfs3Exception {
        Nfs3File directory = call.file(args.directory());
        FileNode node = find(directory, args.name());
        Nfs3Handle handle = call.handleOf(directory.export(), node.handle());
        PostOpAttr attributes = directory.postOpAttr(node.attributes());
        PostOpAttr ofDirectory = directory.postOpAttr();
        return Nfs3Reply.ok(xdr -> {
            handle.encode(xdr);
            attributes.encode(xdr);
            ofDirectory.encode(xdr);
        });
    }

    private static FileNode find(Nfs3File directory, Filename3 name) throws FsException, Nfs3Exception {
        if (name == Filename3.Improper.SELF) {
            FileAttributes attributes = directory.attributes();
            requireDirectory(attributes);
            return new FileNode(directory.handle(), attributes);
        }
        if (name == Filename3.Improper.PARENT) {
            requireDirectory(directory.attributes());
            return directory.parentWithinExport(directory.caller());
        }
        return directory
                .fileSystem()
                .lookup(directory.caller(), directory.handle(), name.properOr(Nfs3Status.INVAL, Nfs3Status.INVAL));
    }

    private static void requireDirectory(FileAttributes attributes) throws Nfs3Exception {
        if (attributes.type() != FileType.DIRECTORY) {
            throw new Nfs3Exception(Nfs3Status.NOTDIR);
        }
    }

    @Override
    public Nfs3Reply.Body failed(Nfs3Call call, DirOpArgs3 args) {
        return call.postOpAttr(args.directory())::encode;
    }
}
