package org.warpnfs.nfs.v4.op;

import org.warpnfs.fs.spi.Caller;
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
        Location directory = call.files().currentWithAnyFlavor();
        Location above = parentOf(call, directory);
        if (above.equals(directory)) {
            throw Nfs4Exception.of(Nfs4Status.NOENT);
        }
        call.files().setCurrent(above);
    }

    /** The parent of a directory. From the root of an export the way up is open with any credential. */
    static Location parentOf(CallContext call, Location directory) throws Nfs4Exception, FsException {
        if (!directory.isExportRoot()) {
            call.admissions().admit(directory);
        }
        Names.requireDirectory(directory);
        Caller caller =
                call.admissions().isAdmitted(directory) ? call.admissions().callerAt(directory) : Caller.ROOT;
        return call.services().exports().parentOf(caller, directory);
    }
}
