package org.warpnfs.nfs.v4.op;

import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.XdrReader;
import org.warpnfs.nfs.v4.xdr.XdrWriter;

/** LOOKUP (RFC 8881 section 18.13), crossing from virtual directories into exports. */
final class Lookup implements Operation {
    @Override
    public void execute(CallContext call, XdrReader in, XdrWriter out) throws Nfs4Exception, FsException {
        FileName name = Names.decode(in);
        call.setCurrent(find(call, call.current(), name));
    }

    static Location find(CallContext call, Location directory, FileName name) throws Nfs4Exception, FsException {
        try {
            FileNode found = CallContext.fileSystem(directory).lookup(call.callerAt(directory), directory.file(), name);
            return call.services().exports().cross(directory.sibling(found.handle()));
        } catch (FsException e) {
            if (e.error() == FsError.NOT_DIRECTORY) {
                Names.requireDirectory(directory);
            }
            throw e;
        }
    }
}
