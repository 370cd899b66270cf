package org.warpnfs.nfs.v4.op;

import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.state.IoGrant;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Stateid;

/** A file for the length of one request: the stateid's own where it brings one, else opened for this request and closed after it. */
final class FileAccess implements AutoCloseable {
    private final @Nullable IoGrant grant;
    private final OpenFile file;
    private final boolean owned;

    private FileAccess(@Nullable IoGrant grant, OpenFile file, boolean owned) {
        this.grant = grant;
        this.file = file;
        this.owned = owned;
    }

    static FileAccess toRead(CallContext call, Location location, Stateid stateid) throws Nfs4Exception, FsException {
        return of(
                call,
                location,
                call.services().state().grantRead(call.nowNanos(), call.client(), CallContext.keyOf(location), stateid),
                OpenAccess.READ);
    }

    static FileAccess toWrite(CallContext call, Location location, Stateid stateid) throws Nfs4Exception, FsException {
        CallContext.requireWritable(location);
        return of(
                call,
                location,
                call.services()
                        .state()
                        .grantWrite(call.nowNanos(), call.client(), CallContext.keyOf(location), stateid),
                OpenAccess.WRITE);
    }

    private static FileAccess of(CallContext call, Location location, IoGrant grant, OpenAccess access)
            throws FsException {
        OpenFile held = grant.file();
        if (held != null) {
            return new FileAccess(grant, held, false);
        }
        return new FileAccess(
                null, CallContext.fileSystem(location).open(call.callerAt(location), location.file(), access), true);
    }

    OpenFile file() {
        return file;
    }

    @Override
    public void close() {
        if (owned) {
            file.close();
        }
        if (grant != null) {
            grant.close();
        }
    }
}
