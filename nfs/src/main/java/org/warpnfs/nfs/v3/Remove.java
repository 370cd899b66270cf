package org.warpnfs.nfs.v3;

import java.io.IOException;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.FileChanges;

/** REMOVE and RMDIR (RFC 1813, section 3.3.12, §3.3.13). */
enum Remove implements Nfs3Procedure<DirOpArgs3> {
    FILE,
    DIRECTORY;

    @Override
    public DirOpArgs3 decode(XdrDecodingStream xdr) throws IOException {
        return DirOpArgs3.decode(xdr);
    }

    @Override
    public Nfs3Reply run(Nfs3Call call, DirOpArgs3 args) throws FsException, Nfs3Exception {
        Nfs3File directory = call.file(args.directory());
        directory.requireWritable();
        FileName name =
                switch (this) {
                    case FILE -> args.name().properOr(Nfs3Status.ACCES, Nfs3Status.ACCES);
                    case DIRECTORY -> args.name().properOr(Nfs3Status.INVAL, Nfs3Status.EXIST);
                };
        call.requireUnmounted(directory, name);
        try (FileChanges.Change _ = call.changingName(directory, name);
                WatchedChange change = WatchedChange.begin(call, directory)) {
            switch (this) {
                case FILE -> directory.fileSystem().remove(directory.caller(), directory.handle(), name);
                case DIRECTORY -> directory.fileSystem().removeDirectory(directory.caller(), directory.handle(), name);
            }
            return Nfs3Reply.ok(change.end()::encode);
        }
    }

    @Override
    public Nfs3Reply.Body failed(Nfs3Call call, DirOpArgs3 args) {
        return call.wccData(args.directory())::encode;
    }

    @Override
    public boolean isRemembered() {
        return true;
    }
}
