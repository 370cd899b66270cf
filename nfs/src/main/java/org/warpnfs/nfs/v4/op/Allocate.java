package org.warpnfs.nfs.v4.op;

import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Stateid;

/** ALLOCATE (RFC 7862, section 15.1). */
final class Allocate implements ChangingOperation {
    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception, FsException {
        Stateid stateid = call.files().resolve(in.stateid());
        long offset = in.int64();
        long length = in.int64();
        Location file = call.files().current();
        FileRanges.requireWithinFile(file, offset, length);
        try (FileAccess access = FileAccess.toWrite(call, file, stateid)) {
            if (length > 0) {
                access.file().allocate(offset, length);
            }
        }
    }
}
