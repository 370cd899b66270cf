package org.warpnfs.nfs.v4.op;

import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.locks.LockedFile;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Opaque;

/** LOCKT (RFC 8881, section 18.11). */
final class LockTest implements Operation {
    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception, FsException {
        boolean exclusive = LockTypes.decodeExclusive(in);
        long offset = in.int64();
        long length = in.int64();
        long clientId = in.int64();
        Opaque owner = Opaque.decode(in);
        Location file = call.files().current();
        Lock.requireRegular(file);
        call.services()
                .state()
                .locks()
                .testLock(
                        call.nowNanos(),
                        call.calling().clientById(clientId),
                        LockedFile.of(file.fileSystem(), file.file()),
                        owner,
                        exclusive,
                        LockTypes.range(offset, length));
    }
}
