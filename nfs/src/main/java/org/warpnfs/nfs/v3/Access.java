package org.warpnfs.nfs.v3;

import java.io.IOException;
import java.util.EnumSet;
import java.util.Set;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileSystem.Permission;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsException;

/**
 * ACCESS (RFC 1813, section 3.3.4).
 *
 * <pre>
 * bit   name      of a directory   of anything else
 * 0x01  READ      read             read
 * 0x02  LOOKUP    search           -
 * 0x04  MODIFY    write and search write
 * 0x08  EXTEND    write and search write
 * 0x10  DELETE    write and search -
 * 0x20  EXECUTE   -                execute
 * </pre>
 *
 * <p>A read-only export grants no changes, except on devices, FIFOs and sockets, whose contents are not part of the
 * export.
 */
final class Access implements Nfs3Procedure<Access.Args> {
    static final int READ = 0x01;
    static final int LOOKUP = 0x02;
    static final int MODIFY = 0x04;
    static final int EXTEND = 0x08;
    static final int DELETE = 0x10;
    static final int EXECUTE = 0x20;
    private static final int CHANGES = MODIFY | EXTEND | DELETE;

    /** ACCESS3args. */
    record Args(Nfs3Handle file, int asked) {}

    @Override
    public Args decode(XdrDecodingStream xdr) throws IOException {
        return new Args(Nfs3Handle.decode(xdr), xdr.xdrDecodeInt());
    }

    @Override
    public Nfs3Reply run(Nfs3Call call, Args args) throws FsException, Nfs3Exception {
        Nfs3File file = call.file(args.file());
        FileAttributes attributes = file.attributes();
        Set<Permission> permissions =
                file.fileSystem().permissions(file.caller(), file.handle(), EnumSet.allOf(Permission.class));
        int granted = args.asked() & grantedBy(attributes.type(), permissions);
        if (file.isReadOnly() && holdsData(attributes.type())) {
            granted &= ~CHANGES;
        }
        int result = granted;
        PostOpAttr after = call.postOpAttr(file, file.handle(), attributes);
        return Nfs3Reply.ok(xdr -> {
            after.encode(xdr);
            xdr.xdrEncodeInt(result);
        });
    }

    private static int grantedBy(FileType type, Set<Permission> permissions) {
        boolean executes = permissions.contains(Permission.EXECUTE);
        boolean writes = permissions.contains(Permission.WRITE);
        int granted = permissions.contains(Permission.READ) ? READ : 0;
        if (type == FileType.DIRECTORY) {
            return granted | (executes ? LOOKUP : 0) | (writes && executes ? CHANGES : 0);
        }
        return granted | (executes ? EXECUTE : 0) | (writes ? MODIFY | EXTEND : 0);
    }

    private static boolean holdsData(FileType type) {
        return switch (type) {
            case REGULAR, DIRECTORY, SYMLINK -> true;
            case BLOCK_DEVICE, CHARACTER_DEVICE, FIFO, SOCKET -> false;
        };
    }

    @Override
    public Nfs3Reply.Body failed(Nfs3Call call, Args args) {
        return call.postOpAttr(args.file())::encode;
    }
}
