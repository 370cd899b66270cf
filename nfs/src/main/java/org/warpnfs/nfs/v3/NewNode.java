package org.warpnfs.nfs.v3;

import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FsException;

/** Common part of CREATE, MKDIR, SYMLINK and MKNOD (RFC 1813, section 3.3.8 to §3.3.11). */
abstract class NewNode<A> implements Nfs3Procedure<A> {
    /** Directory and name of the new file. */
    abstract DirOpArgs3 where(A args);

    /** Creates the file in {@code directory}, which was found writable. */
    abstract FileNode make(Nfs3Call call, Nfs3File directory, FileName name, A args) throws FsException, Nfs3Exception;

    @Override
    public final Nfs3Reply run(Nfs3Call call, A args) throws FsException, Nfs3Exception {
        Nfs3File directory = call.file(where(args).directory());
        directory.requireWritable();
        FileName name = where(args).name().properOr(Nfs3Status.EXIST, Nfs3Status.EXIST);
        try (WatchedChange change = WatchedChange.begin(call, directory)) {
            FileNode node = make(call, directory, name, args);
            return CreatedNode.reply(call, directory, node, change.end());
        }
    }

    @Override
    public final Nfs3Reply.Body failed(Nfs3Call call, A args) {
        return call.wccData(where(args).directory())::encode;
    }

    @Override
    public final boolean isRemembered() {
        return true;
    }
}
