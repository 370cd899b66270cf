package org.warpnfs.nfs.v4.op;

import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FileSystem.Permission;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/** LOOKUP (RFC 8881, section 18.13). If an export is mounted on the name, it returns the root of that export. */
final class Lookup implements Operation {
    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception, FsException {
        FileName name = Names.decode(in);
        long before = LatestAttributes.beforeReading(call);
        Found found = search(call, call.files().currentWithAnyFlavor(), name);
        call.files().setCurrent(found.file());
        if (found.attributes() != null) {
            LatestAttributes.keep(call, found.file(), found.attributes(), before);
        }
    }

    static Location find(CallContext call, Location directory, FileName name) throws Nfs4Exception, FsException {
        return search(call, directory, name).file();
    }

    private static Found search(CallContext call, Location directory, FileName name) throws Nfs4Exception, FsException {
        Location mounted = call.services().exports().mountedAt(directory, name);
        if (mounted != null) {
            return new Found(crossed(call, directory, mounted), null);
        }
        call.admissions().admit(directory);
        try {
            FileNode found =
                    directory.fileSystem().lookup(call.admissions().callerAt(directory), directory.file(), name);
            Location file = directory.sibling(found.handle());
            mounted = call.services().exports().mountedAs(file);
            return mounted == null
                    ? new Found(file, found.attributes())
                    : new Found(crossed(call, directory, mounted), null);
        } catch (FsException e) {
            if (e.error() == FsError.NOT_DIRECTORY) {
                Names.requireDirectory(directory);
            }
            throw e;
        }
    }

    /** The file of a name, and its attributes if the lookup has brought them. */
    private record Found(Location file, @Nullable FileAttributes attributes) {}

    /**
     * The root of the export that is mounted on a name. If the export is not served to the caller's host, a virtual
     * directory does not show it and a real directory refuses access to it. A caller whose credential the upper export
     * does not accept may pass: what counts is the export that it enters.
     */
    private static Location crossed(CallContext call, Location directory, Location mounted)
            throws Nfs4Exception, FsException {
        Set<Permission> search = EnumSet.of(Permission.EXECUTE);
        if (call.admissions().isAdmitted(directory)
                && !directory
                        .fileSystem()
                        .permissions(call.admissions().callerAt(directory), directory.file(), search)
                        .equals(search)) {
            throw Nfs4Exception.of(Nfs4Status.ACCESS);
        }
        if (!call.admissions().isShown(mounted)) {
            throw Nfs4Exception.of(directory.export().isPseudo() ? Nfs4Status.NOENT : Nfs4Status.ACCESS);
        }
        return mounted;
    }
}
