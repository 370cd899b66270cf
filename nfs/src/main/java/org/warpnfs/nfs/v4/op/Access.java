package org.warpnfs.nfs.v4.op;

import java.util.EnumSet;
import java.util.Set;
import org.warpnfs.fs.spi.FileAttribute;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileSystem.Permission;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;

/**
 * ACCESS (RFC 8881, section 18.1; RFC 8276, section 8.5 for the three of extended attributes).
 *
 * <pre>
 *   READ 1, LOOKUP 2, MODIFY 4, EXTEND 8, DELETE 16, EXECUTE 32, XAREAD 64, XAWRITE 128, XALIST 256
 * </pre>
 */
final class Access implements Operation {
    private static final int READ = 1;
    private static final int LOOKUP = 2;
    private static final int MODIFY = 4;
    private static final int EXTEND = 8;
    private static final int DELETE = 16;
    private static final int EXECUTE = 32;
    private static final int XATTR_READ = 64;
    private static final int XATTR_WRITE = 128;
    private static final int XATTR_LIST = 256;

    private static final int NEEDS_READ = READ | XATTR_READ | XATTR_LIST;
    private static final int NEEDS_WRITE = MODIFY | EXTEND | DELETE | XATTR_WRITE;
    private static final int NEEDS_EXECUTE = LOOKUP | EXECUTE;

    @Override
    public boolean keepsAttributes() {
        return true;
    }

    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception, FsException {
        int asked = in.int32();
        Location file = call.files().current();
        long before = LatestAttributes.beforeReading(call);
        // All of them, since clients let a GETATTR follow.
        FileAttributes attributes = call.files().attributes(file, FileAttribute.ALL);
        LatestAttributes.keep(call, file, attributes, before);
        int supported = asked & supportedBy(attributes.type(), call.minorVersion());
        EnumSet<Permission> needed = EnumSet.noneOf(Permission.class);
        if ((supported & NEEDS_READ) != 0) {
            needed.add(Permission.READ);
        }
        if ((supported & NEEDS_WRITE) != 0) {
            needed.add(Permission.WRITE);
        }
        if ((supported & NEEDS_EXECUTE) != 0) {
            needed.add(Permission.EXECUTE);
        }
        Set<Permission> has = file.fileSystem().permissions(call.admissions().callerAt(file), file.file(), needed);
        boolean writable = has.contains(Permission.WRITE) && !call.admissions().isReadOnly(file);
        int granted = supported
                & ((has.contains(Permission.READ) ? NEEDS_READ : 0)
                        | (writable ? NEEDS_WRITE : 0)
                        | (has.contains(Permission.EXECUTE) ? NEEDS_EXECUTE : 0));
        out.int32(supported);
        out.int32(granted);
    }

    private static int supportedBy(FileType type, int minorVersion) {
        int xattr = minorVersion >= 2 ? XATTR_READ | XATTR_WRITE | XATTR_LIST : 0;
        return switch (type) {
            case DIRECTORY -> READ | LOOKUP | MODIFY | EXTEND | DELETE | xattr;
            case REGULAR -> READ | MODIFY | EXTEND | EXECUTE | xattr;
            case SYMLINK, BLOCK_DEVICE, CHARACTER_DEVICE, FIFO, SOCKET -> READ | MODIFY | EXTEND | xattr;
        };
    }
}
