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

/**
 * COMMIT (RFC 8881, section 18.3). It syncs the whole file, whatever range is asked for, since backends sync whole
 * files.
 */
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
        // Read after the sync: a sync that lost data has changed it.
        out.int64(fileSystem.writeVerifier());
    }

    /**
     * Syncs a file that no client has open for writing. The client that wrote may have closed it since, and may no
     * longer be allowed to open it. So the server opens it: a sync harms nobody.
     */
    private static void syncClosed(FileSystem fileSystem, Location file) throws FsException {
        try (OpenFile open = fileSystem.open(Caller.ROOT, file.file(), OpenAccess.READ)) {
            open.sync();
        }
    }
}
