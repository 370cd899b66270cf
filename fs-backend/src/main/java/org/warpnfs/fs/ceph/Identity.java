package org.warpnfs.fs.ceph;

import org.warpnfs.fs.ceph.libcephfs.CephErrno;
import org.warpnfs.fs.ceph.libcephfs.CephException;
import org.warpnfs.fs.ceph.libcephfs.DataCalls;
import org.warpnfs.fs.ceph.libcephfs.Fh;
import org.warpnfs.fs.ceph.libcephfs.UserPerm;
import org.warpnfs.fs.spi.Caller;

/** Callers as the library knows them. */
final class Identity {
    private Identity() {}

    /** The identity of a caller, for calls of this thread. */
    static UserPerm of(Caller caller) {
        return caller.isSuperuser() && caller.gid() == 0 && caller.groups().isEmpty()
                ? UserPerm.SUPERUSER
                : UserPerm.of(caller.uid(), caller.gid(), caller.groups());
    }

    /**
     * Opens a file as the caller, or as the superuser what the caller may open by the rules of NFS alone. Whether it
     * may is judged already.
     */
    static Fh open(Node node, Caller caller, int flags) throws CephException {
        try (UserPerm identity = of(caller)) {
            return DataCalls.open(node.mount(), node.inode(), flags, identity);
        } catch (CephException e) {
            if (e.errno() != CephErrno.EACCES && e.errno() != CephErrno.EPERM) {
                throw e;
            }
            return DataCalls.open(node.mount(), node.inode(), flags, UserPerm.SUPERUSER);
        }
    }
}
