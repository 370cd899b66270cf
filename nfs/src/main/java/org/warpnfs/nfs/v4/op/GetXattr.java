package org.warpnfs.nfs.v4.op;

import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;

/** GETXATTR (RFC 8276, section 8.4.1). */
final class GetXattr implements Operation {
    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception, FsException {
        byte[] name = XattrNames.decode(in);
        Location file = call.files().current();
        out.opaque(file.fileSystem().getXattr(call.admissions().callerAt(file), file.file(), name));
    }
}
