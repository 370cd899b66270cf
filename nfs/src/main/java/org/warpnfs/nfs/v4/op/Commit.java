package org.warpnfs.nfs.v4.op;

import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.state.file.FileKey;
import org.warpnfs.nfs.v4.state.file.IoGrant;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;

/** COMMIT (RFC 8881, section 18.3) of the whole file, whatever range is asked for: that is how backends sync. */
final class Commit implements ChangingOperation {
    @Override
    public boolean isRepeatable() {
        return true;
    }

    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception, FsException {
        in.int64();
        in.int32();
        Location file = call.files().current();
        Lock.requireRegular(file);
        call.admissions().requireWritable(file);
        FileSystem fileSystem = file.fileSystem();
        try (IoGrant grant = call.services().state().stateids().anyWriter(FileKey.of(file.identity()))) {
            OpenFile open = grant.fileOf(fileSystem);
            if (open != null) {
                open.sync();
            } else {
                syncClosed(fileSystem, file);
            }
        }
        // After the sync: one that lost data has changed it.
        out.int64(fileSystem.writeVerifier());
    }

    /**
     * Whoever wrote may have closed the file since, and lost the right to open it: a sync takes nothing from anyone.
     */
    private static void syncClosed(FileSystem fileSystem, Location file) throws FsException {
        try (OpenFile open = fileSystem.open(Caller.ROOT, file.file(), OpenAccess.READ)) {
            open.sync();
        }
    }
}
