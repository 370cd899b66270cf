package org.warpnfs.nfs.v3;

import java.io.IOException;
import java.util.List;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.warpnfs.fs.spi.AclChanges;
import org.warpnfs.fs.spi.AclChanges.Change;
import org.warpnfs.fs.spi.AclEntry;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.PosixAcl;
import org.warpnfs.nfs.export.FileChanges;
import org.warpnfs.nfs.xdr.XdrViolation;

/**
 * SETACL of the NFS_ACL program. It sets the lists that the mask names and leaves others as they are. An empty list
 * removes one.
 *
 * <pre>
 * args   nfs_fh3, uint32 mask as in {@link GetAcl}, access list, default list ({@link NfsAclEntries})
 * reply  nfsstat3, post_op_attr
 * </pre>
 *
 * <p>NFS3ERR_INVAL for entries that do not form a valid list (acl_valid(3)), NFS3ERR_PERM for anyone but the owner,
 * NFS3ERR_ACCES for a default list of anything but a directory, NFS3ERR_NOTSUPP where there are no lists, NFS3ERR_NOSPC
 * if the list is too long for the backend.
 */
final class SetAcl implements Nfs3Procedure<SetAcl.Args> {
    record Args(Nfs3Handle file, int mask, List<AclEntry> access, List<AclEntry> inherited) {}

    @Override
    public Args decode(XdrDecodingStream xdr) throws IOException {
        Nfs3Handle file = Nfs3Handle.decode(xdr);
        int mask = xdr.xdrDecodeInt();
        if ((mask & ~GetAcl.ALL) != 0) {
            throw new XdrViolation("mask " + Integer.toHexString(mask));
        }
        return new Args(
                file,
                mask,
                NfsAclEntries.decode(xdr, (mask & GetAcl.ACCESS) != 0),
                NfsAclEntries.decode(xdr, (mask & GetAcl.DEFAULT) != 0));
    }

    @Override
    public Nfs3Reply run(Nfs3Call call, Args args) throws FsException, Nfs3Exception {
        Nfs3File file = call.file(args.file());
        file.requireWritable();
        AclChanges changes = new AclChanges(
                change(args.access(), (args.mask() & GetAcl.ACCESS) != 0),
                change(args.inherited(), (args.mask() & GetAcl.DEFAULT) != 0));
        try (FileChanges.Change _ = call.changingWatched(file);
                WatchedChange change = WatchedChange.begin(call, file)) {
            file.fileSystem().setAcls(file.caller(), file.handle(), changes);
            return Nfs3Reply.ok(change.end().after()::encode);
        }
    }

    private static Change change(List<AclEntry> entries, boolean isNamed) throws FsException {
        if (!isNamed) {
            return Change.KEEP;
        }
        return entries.isEmpty() ? Change.REMOVE : new Change.Replace(PosixAcl.of(entries));
    }

    @Override
    public Nfs3Reply.Body failed(Nfs3Call call, Args args) {
        return call.postOpAttr(args.file())::encode;
    }

    @Override
    public boolean isRemembered() {
        return true;
    }
}
