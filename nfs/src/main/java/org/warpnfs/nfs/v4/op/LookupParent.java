package org.warpnfs.nfs.v4.op;

import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/** LOOKUPP (RFC 8881, section 18.14); NOENT for the topmost root. */
final class LookupParent implements Operation {
    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception, FsException {
        Location directory = call.files().current();
        Names.requireDirectory(directory);
        Location above = call.services().exports().parentOf(call.admissions().callerAt(directory), directory);
        if (above.equals(directory)) {
            throw Nfs4Exception.of(Nfs4Status.NOENT);
        }
        call.files().setCurrent(above);
    }
}
