package org.warpnfs.nfs.v4.op;

import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FileSystem.Permission;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.state.file.FileKey;
import org.warpnfs.nfs.v4.state.file.IoGrant;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * A file that is open during one request: the stateid's open file if there is one that the caller may use, else a file
 * that is opened for this request and closed after it. The user who opened a file may use it whatever its permissions
 * have become. Any other user needs the permission, or is refused by the open that is made in its name. So a stateid
 * gives no other user anything.
 */
final class FileAccess implements AutoCloseable {
    private final IoGrant grant;
    private final OpenFile file;
    private final boolean owned;
    private final FileChange change;

    /** Closes what must not be closed on this thread; null on a thread that may wait. */
    private @Nullable Executor closer;

    private FileAccess(IoGrant grant, OpenFile file, boolean owned, FileChange change) {
        this.grant = grant;
        this.file = file;
        this.owned = owned;
        this.change = change;
    }

    static FileAccess toRead(CallContext call, Location location, Stateid stateid) throws Nfs4Exception, FsException {
        return of(call, location, grantRead(call, location, stateid), OpenAccess.READ, FileChange.ofNothing());
    }

    /**
     * The file that the stateid has open, for an event loop. Null if a thread that may wait has to do it: clients may
     * still reclaim, no such file is open, or another user has opened it, so that permissions have to be asked for.
     */
    static @Nullable FileAccess toReadWithoutWait(CallContext call, Location location, Stateid stateid)
            throws Nfs4Exception {
        if (stateid.isAnonymous() || !call.services().state().isGraceOver()) {
            // No file is open; or the end of the grace period is written to the journal first.
            return null;
        }
        Executor closer = call.services().state().closer();
        IoGrant grant = grantRead(call, location, stateid);
        OpenFile held = grant.fileOf(location.fileSystem());
        if (held == null || !grant.isOpenedBy(call.admissions().callerAt(location))) {
            grant.close(closer);
            return null;
        }
        FileAccess access = new FileAccess(grant, held, false, FileChange.ofNothing());
        access.closer = closer;
        return access;
    }

    private static IoGrant grantRead(CallContext call, Location location, Stateid stateid) throws Nfs4Exception {
        return call.services()
                .state()
                .stateids()
                .grantRead(
                        call.nowNanos(), call.calling().clientOfIo(stateid), FileKey.of(location.identity()), stateid);
    }

    static FileAccess toWrite(CallContext call, Location location, Stateid stateid) throws Nfs4Exception, FsException {
        call.admissions().requireWritable(location);
        // The open behind a stateid has recalled the file's delegations. A write with an anonymous stateid must recall
        // them itself.
        FileChange change = stateid.isAnonymous() ? FileChange.of(call, location) : FileChange.ofOpen(call, location);
        boolean begun = false;
        try {
            FileAccess access = toWrite(call, location, stateid, change);
            begun = true;
            return access;
        } finally {
            if (!begun) {
                change.close();
            }
        }
    }

    private static FileAccess toWrite(CallContext call, Location location, Stateid stateid, FileChange change)
            throws Nfs4Exception, FsException {
        return of(
                call,
                location,
                call.services()
                        .state()
                        .stateids()
                        .grantWrite(
                                call.nowNanos(),
                                call.calling().clientOfIo(stateid),
                                FileKey.of(location.identity()),
                                stateid),
                OpenAccess.WRITE,
                change);
    }

    private static FileAccess of(
            CallContext call, Location location, IoGrant grant, OpenAccess access, FileChange change)
            throws FsException {
        FileSystem fileSystem = location.fileSystem();
        Caller caller = call.admissions().callerAt(location);
        boolean opened = false;
        try {
            OpenFile held = grant.fileOf(fileSystem);
            if (held != null && (grant.isOpenedBy(caller) || isPermitted(caller, location, access))) {
                opened = true;
                return new FileAccess(grant, held, false, change);
            }
            OpenFile file = fileSystem.open(caller, location.file(), access);
            opened = true;
            return new FileAccess(grant, file, true, change);
        } finally {
            if (!opened) {
                grant.close();
            }
        }
    }

    /** True if the permissions of the file let the caller do that. A caller that may execute a file may read it. */
    static boolean isPermitted(Caller caller, Location location, OpenAccess access) throws FsException {
        Set<Permission> needed = access == OpenAccess.WRITE
                ? EnumSet.of(Permission.WRITE)
                : EnumSet.of(Permission.READ, Permission.EXECUTE);
        return !location.fileSystem()
                .permissions(caller, location.file(), needed)
                .isEmpty();
    }

    @Override
    public void close() {
        if (owned) {
            file.close();
        }
        if (closer == null) {
            grant.close();
        } else {
            grant.close(closer);
        }
        change.close();
    }

    OpenFile file() {
        return file;
    }
}
