package org.warpnfs.nfs.v3;

import java.io.IOException;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.FileChanges;

/** LINK (RFC 1813, section 3.3.15), within one export. */
final class Link implements Nfs3Procedure<Link.Args> {
    /** LINK3args. */
    record Args(Nfs3Handle file, DirOpArgs3 link) {}

    @Override
    public Args decode(XdrDecodingStream xdr) throws IOException {
        return new Args(Nfs3Handle.decode(xdr), DirOpArgs3.decode(xdr));
    }

    @Override
    public Nfs3Reply run(Nfs3Call call, Args args) throws FsException, Nfs3Exception {
        Nfs3File file = call.file(args.file());
        Nfs3File directory = call.file(args.link().directory());
        file.requireWritable();
        directory.requireWritable();
        if (!file.export().isSame(directory.export())) {
            throw new Nfs3Exception(Nfs3Status.XDEV);
        }
        FileName name = args.link().name().properOr(Nfs3Status.EXIST, Nfs3Status.EXIST);
        try (FileChanges.Change _ = call.changing(file);
                WatchedChange change = WatchedChange.begin(call, directory)) {
            FileAttributes after =
                    directory.fileSystem().link(directory.caller(), file.handle(), directory.handle(), name);
            return Nfs3Reply.ok(both(file.postOpAttr(after), change.end()));
        }
    }

    private static Nfs3Reply.Body both(PostOpAttr file, WccData directory) {
        return xdr -> {
            file.encode(xdr);
            directory.encode(xdr);
        };
    }

    @Override
    public Nfs3Reply.Body failed(Nfs3Call call, Args args) {
        return both(call.postOpAttr(args.file()), call.wccData(args.link().directory()));
    }

    @Override
    public boolean isRemembered() {
        return true;
    }
}
