package org.warpnfs.nfs.v4.op;

import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;

/** REMOVE (RFC 8881, section 18.25) of files of every type, including directories. */
final class Remove implements ChangingOperation {
    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception, FsException {
        FileName name = Names.decode(in);
        Location directory = call.files().current();
        call.admissions().requireWritable(directory);
        Names.requireDirectory(directory);
        // A client may not have reclaimed the file yet.
        call.services().state().requireNoGrace(call.nowNanos());
        call.services().exports().requireUnmounted(directory, name);
        Caller caller = call.admissions().callerAt(directory);
        FileSystem fileSystem = directory.fileSystem();
        try (FileChange _ = FileChange.ofName(call, directory, name);
                DirectoryChange change = DirectoryChange.begin(call, directory)) {
            try {
                fileSystem.remove(caller, directory.file(), name);
            } catch (FsException e) {
                if (e.error() != FsError.IS_DIRECTORY) {
                    throw e;
                }
                fileSystem.removeDirectory(caller, directory.file(), name);
            }
            change.encode(out);
        }
    }
}
