package org.warpnfs.nfs.v4.op;

import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.XdrReader;
import org.warpnfs.nfs.v4.xdr.XdrWriter;

/** GETXATTR (RFC 8276, section 8.4.1). */
final class GetXattr implements Operation {
    @Override
    public void execute(CallContext call, XdrReader in, XdrWriter out) throws Nfs4Exception, FsException {
        byte[] name = XattrNames.decode(in);
        Location file = call.files().current();
        out.opaque(file.fileSystem().getXattr(call.admissions().callerAt(file), file.file(), name));
    }
}
