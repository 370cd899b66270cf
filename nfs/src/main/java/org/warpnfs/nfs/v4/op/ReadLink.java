package org.warpnfs.nfs.v4.op;

import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/** READLINK (RFC 8881, section 18.24). The text is DDP-eligible. */
final class ReadLink implements Operation {
    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception, FsException {
        Location link = call.files().current();
        FileType type = link.type();
        if (type != FileType.SYMLINK && call.minorVersion() == 0) {
            // The only error that RFC 7530, section 16.25 has for this.
            throw Nfs4Exception.of(Nfs4Status.INVAL);
        }
        if (type != FileType.SYMLINK) {
            throw Nfs4Exception.of(type == FileType.DIRECTORY ? Nfs4Status.ISDIR : Nfs4Status.WRONG_TYPE);
        }
        out.payload(link.fileSystem().readSymlink(call.admissions().callerAt(link), link.file()));
    }
}
