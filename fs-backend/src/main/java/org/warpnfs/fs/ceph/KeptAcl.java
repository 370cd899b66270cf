package org.warpnfs.fs.ceph;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.ceph.libcephfs.CephErrno;
import org.warpnfs.fs.ceph.libcephfs.CephException;
import org.warpnfs.fs.ceph.libcephfs.Inode;
import org.warpnfs.fs.ceph.libcephfs.Mount;
import org.warpnfs.fs.ceph.libcephfs.UserPerm;
import org.warpnfs.fs.ceph.libcephfs.XattrCalls;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.PosixAcl;
import org.warpnfs.fs.spi.PosixAclXattr;

/** Reads access control lists. */
final class KeptAcl {
    static final byte[] ACCESS = "system.posix_acl_access".getBytes(StandardCharsets.US_ASCII);
    static final byte[] DEFAULT = "system.posix_acl_default".getBytes(StandardCharsets.US_ASCII);

    private KeptAcl() {}

    /** The list in the file's attribute of that name, or null if the file has none. */
    static @Nullable PosixAcl of(Mount mount, Inode file, byte[] name) throws CephException, FsException {
        byte[] value;
        try {
            value = XattrCalls.get(mount, file, name, UserPerm.SUPERUSER);
        } catch (CephException e) {
            return switch (e.errno()) {
                case CephErrno.ENODATA, CephErrno.EOPNOTSUPP -> null;
                default -> throw e;
            };
        }
        return value.length == 0 ? null : PosixAclXattr.decode(value);
    }
}
