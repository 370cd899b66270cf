package org.warpnfs.nfs.mount;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FileSystem.Permission;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Admission;
import org.warpnfs.nfs.export.Export;
import org.warpnfs.nfs.export.ExportDenial;
import org.warpnfs.nfs.export.ExportTable;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.export.PseudoPath;
import org.warpnfs.nfs.export.Requester;

/**
 * dirpath (RFC 1813, appendix I): the directory that a client wants to mount.
 *
 * <p>It is an export, or a directory below the nearest one. It is looked up name by name as the caller, so that a
 * client can mount only what it could also reach from above. Where an export is mounted on a directory of another one,
 * by whatever path that is reached, the way leads into that export. Symbolic links are not followed and {@code ..} is
 * refused, so no path leads out of the export.
 */
final class MountPath {
    /** MNTPATHLEN. */
    static final int MAX_LENGTH_BYTES = 1024;

    private final List<FileName> components;

    private MountPath(List<FileName> components) {
        this.components = components;
    }

    /** Parses an absolute path. Empty components and {@code .} are ignored. */
    static MountPath of(byte[] path) throws MountException {
        if (path.length == 0 || path[0] != '/') {
            throw new MountException(MountStatus.NOENT);
        }
        List<FileName> components = new ArrayList<>();
        ByteArrayOutputStream component = new ByteArrayOutputStream();
        for (int i = 1; i <= path.length; i++) {
            if (i < path.length && path[i] != '/') {
                component.write(path[i]);
                continue;
            }
            byte[] name = component.toByteArray();
            component.reset();
            if (name.length > 0 && !(name.length == 1 && name[0] == '.')) {
                components.add(nameOf(name));
            }
        }
        return new MountPath(List.copyOf(components));
    }

    private static FileName nameOf(byte[] name) throws MountException {
        try {
            return FileName.of(name);
        } catch (FsException e) {
            throw new MountException(MountStatus.of(e.error()));
        }
    }

    /** The directory of this path for {@code requester}; ACCES or PERM if the export refuses it. */
    Location resolve(ExportTable exports, Requester requester) throws MountException {
        for (int depth = components.size(); depth >= 0; depth--) {
            Export export = exports.byPath(PseudoPath.of(components.subList(0, depth)));
            if (export != null) {
                return walk(exports, export, components.subList(depth, components.size()), requester);
            }
        }
        throw new MountException(MountStatus.NOENT);
    }

    private static Admission admit(Export export, Requester requester) throws MountException {
        try {
            return export.admitToMount(requester);
        } catch (ExportDenial e) {
            throw new MountException(
                    e.reason() == ExportDenial.Reason.PENDING,
                    switch (e.reason()) {
                        case HOST, FLAVOR, PROTECTION, TRANSPORT -> MountStatus.ACCES;
                        case PORT -> MountStatus.PERM;
                        // MOUNT has no status that means "try later".
                        case PENDING -> MountStatus.SERVERFAULT;
                    });
        }
    }

    /** Walks as LOOKUP does: where another export is mounted, on into that one, if it accepts the caller. */
    private static Location walk(ExportTable exports, Export export, List<FileName> names, Requester requester)
            throws MountException {
        Location directory = export.root();
        Caller caller = admit(export, requester).caller();
        try {
            for (FileName name : names) {
                Location mounted = exports.mountedAt(directory, name);
                if (mounted != null) {
                    requireSearch(directory, caller);
                } else {
                    directory = subdirectory(directory, caller, name);
                    mounted = exports.mountedAs(directory);
                }
                if (mounted != null) {
                    directory = mounted;
                    caller = admit(mounted.export(), requester).caller();
                }
            }
        } catch (FsException e) {
            throw new MountException(MountStatus.of(e.error()));
        }
        return directory;
    }

    private static void requireSearch(Location directory, Caller caller) throws FsException {
        EnumSet<Permission> search = EnumSet.of(Permission.EXECUTE);
        if (!directory
                .fileSystem()
                .permissions(caller, directory.file(), search)
                .equals(search)) {
            throw FsException.of(FsError.ACCESS);
        }
    }

    private static Location subdirectory(Location directory, Caller caller, FileName name)
            throws FsException, MountException {
        FileNode node = directory.fileSystem().lookup(caller, directory.file(), name);
        if (node.attributes().type() != FileType.DIRECTORY) {
            throw new MountException(MountStatus.NOTDIR);
        }
        return directory.sibling(node.handle());
    }
}
