package org.warpnfs.nfs.v4.op;

import java.util.EnumSet;
import java.util.Set;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileSystem.Permission;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.state.file.OpenRequest;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/** Which files an OPEN may open. */
final class OpenRules {
    private OpenRules() {}

    /**
     * Throws if the file is not regular. The answer for a FIFO or device is SYMLINK too (RFC 8881, section 18.16.3). A
     * Linux client then opens it by itself; any other error would become EIO.
     */
    static void requireRegular(Location file) throws Nfs4Exception, FsException {
        FileType type = file.type();
        if (type != FileType.REGULAR) {
            throw Nfs4Exception.of(type == FileType.DIRECTORY ? Nfs4Status.ISDIR : Nfs4Status.SYMLINK);
        }
    }

    /**
     * Checks the permissions of the file. Backends let owners open their files whatever the permissions say, for
     * clients that write to a file that they opened earlier. An OPEN is a new open, so the permissions apply. A caller
     * that may execute a file may read it, since that is how a client executes it.
     */
    static void requirePermitted(OpenArguments arguments, Location file, Caller caller)
            throws Nfs4Exception, FsException {
        Set<Permission> has = file.fileSystem().permissions(caller, file.file(), EnumSet.allOf(Permission.class));
        boolean reads = (arguments.access() & OpenRequest.READ) != 0;
        boolean writes = (arguments.access() & OpenRequest.WRITE) != 0;
        boolean executes = reads && !writes && has.contains(Permission.EXECUTE);
        if ((reads && !has.contains(Permission.READ) && !executes) || (writes && !has.contains(Permission.WRITE))) {
            throw Nfs4Exception.of(Nfs4Status.ACCESS);
        }
    }
}
