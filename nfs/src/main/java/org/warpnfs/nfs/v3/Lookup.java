package org.warpnfs.nfs.v3;

import java.io.IOException;
import java.util.EnumSet;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileAttribute;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FileSystem.Permission;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Location;

/**
 * LOOKUP (RFC 1813, section 3.3.3). {@code ..} leads up to the export's root and no further. If another export is
 * mounted on a name, the name leads into it where exports(5) says so, and always if its root is the very directory of
 * that name. That export has an fsid of its own, by which a client sees that it has entered another file system.
 */
final class Lookup implements Nfs3Procedure<DirOpArgs3> {
    @Override
    public DirOpArgs3 decode(XdrDecodingStream xdr) throws IOException {
        return DirOpArgs3.decode(xdr);
    }

    @Override
    public Nfs3Reply run(Nfs3Call call, DirOpArgs3 args) throws FsException, Nfs3Exception {
        Nfs3File directory = call.file(args.directory());
        Location root = call.mountedAt(directory, args.name());
        Nfs3File mounted = root == null ? null : shown(directory, entered(call, directory, root));
        FileNode node = mounted == null ? find(directory, args.name()) : rootOf(mounted);
        if (mounted == null) {
            // Nothing lies underneath: a handle of this export would lead to the other's files by other rules.
            root = call.mountedAs(directory, node.handle());
            mounted = root == null ? null : entered(call, directory, root);
            node = mounted == null ? node : rootOf(mounted);
        }
        Nfs3File holder = mounted == null ? directory : mounted;
        Nfs3Handle handle = call.handleOf(holder.export(), node.handle());
        PostOpAttr attributes = call.postOpAttr(holder, node.handle(), node.attributes());
        PostOpAttr ofDirectory = directory.postOpAttr();
        return Nfs3Reply.ok(xdr -> {
            handle.encode(xdr);
            attributes.encode(xdr);
            ofDirectory.encode(xdr);
        });
    }

    private static FileNode rootOf(Nfs3File mounted) throws FsException {
        return new FileNode(mounted.handle(), mounted.attributes());
    }

    /** The root of an export that is found in a directory. ACCES if that export refuses the caller. */
    private static Nfs3File entered(Nfs3Call call, Nfs3File directory, Location root)
            throws FsException, Nfs3Exception {
        Nfs3File mounted = call.file(root);
        EnumSet<Permission> search = EnumSet.of(Permission.EXECUTE);
        if (!directory
                .fileSystem()
                .permissions(directory.caller(), directory.handle(), search)
                .equals(search)) {
            throw new Nfs3Exception(Nfs3Status.ACCES);
        }
        return mounted;
    }

    /**
     * The root of the export that is mounted on a name. Null if clients do not get into it from here, for which
     * {@code crossmnt} of this export or {@code nohide} of the other is needed.
     */
    private static @Nullable Nfs3File shown(Nfs3File directory, Nfs3File mounted) {
        return directory.export().traits().crossesMounts()
                        || mounted.export().traits().shownThroughParent()
                ? mounted
                : null;
    }

    private static FileNode find(Nfs3File directory, Filename3 name) throws FsException, Nfs3Exception {
        if (name == Filename3.Improper.SELF) {
            FileAttributes attributes = directory.attributes();
            requireDirectory(attributes);
            return new FileNode(directory.handle(), attributes);
        }
        if (name == Filename3.Improper.PARENT) {
            requireDirectory(directory.attributes(FileAttribute.NONE));
            return directory.parentWithinExport(directory.caller());
        }
        return directory
                .fileSystem()
                .lookup(directory.caller(), directory.handle(), name.properOr(Nfs3Status.INVAL, Nfs3Status.INVAL));
    }

    private static void requireDirectory(FileAttributes attributes) throws Nfs3Exception {
        if (attributes.type() != FileType.DIRECTORY) {
            throw new Nfs3Exception(Nfs3Status.NOTDIR);
        }
    }

    @Override
    public Nfs3Reply.Body failed(Nfs3Call call, DirOpArgs3 args) {
        return call.postOpAttr(args.directory())::encode;
    }
}
