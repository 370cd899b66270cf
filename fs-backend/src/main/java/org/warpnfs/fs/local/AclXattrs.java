package org.warpnfs.fs.local;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.local.libc.Errno;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.XattrCalls;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.PosixAcl;
import org.warpnfs.fs.spi.PosixAclXattr;

/** Access control lists as extended attributes, in the form of {@link PosixAclXattr}. */
final class AclXattrs {
    static final byte[] ACCESS = "system.posix_acl_access".getBytes(StandardCharsets.US_ASCII);
    static final byte[] DEFAULT = "system.posix_acl_default".getBytes(StandardCharsets.US_ASCII);

    private AclXattrs() {}

    /** True if the file system supports these attributes. */
    static boolean areSupported(Fd root) {
        try {
            XattrCalls.get(root, ACCESS);
            return true;
        } catch (ErrnoException e) {
            return e.errno() == Errno.ENODATA;
        }
    }

    /**
     * The list in the file's attribute of that name, or null if the file has none; IO if the list cannot be decoded.
     */
    static @Nullable PosixAcl get(Fd file, byte[] name) throws FsException {
        byte[] value = bytes(file, name);
        return value == null ? null : PosixAclXattr.decode(value);
    }

    private static byte @Nullable [] bytes(Fd file, byte[] name) throws FsException {
        try {
            return XattrCalls.get(file, name);
        } catch (ErrnoException e) {
            return switch (e.errno()) {
                case Errno.ENODATA, Errno.EOPNOTSUPP -> null;
                default -> throw Failure.of(e);
            };
        }
    }
}
