package org.warpnfs.nfs.v4.op;

import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Stateid;

/** DEALLOCATE (RFC 7862, section 15.4). */
final class Deallocate implements ChangingOperation {
    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception, FsException {
        Stateid stateid = call.files().resolve(in.stateid());
        long offset = in.int64();
        long length = in.int64();
        Location file = call.files().current();
        if (offset < 0) {
            throw Nfs4Exception.of(Nfs4Status.INVAL);
        }
        try (FileAccess access = FileAccess.toWrite(call, file, stateid)) {
            // The range may extend beyond the end of any possible file.
            long within = length < 0 ? Long.MAX_VALUE - offset : Math.min(length, Long.MAX_VALUE - offset);
            if (within > 0) {
                access.file().deallocate(offset, within);
            }
        }
    }
}
