package org.warpnfs.nfs.v3;

import java.io.IOException;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.Acls;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.PosixAcl;

/**
 * GETACL of the NFS_ACL program. A caller that has a file's handle may read the file's lists.
 *
 * <pre>
 * args   nfs_fh3, uint32 mask: 1 the access list, 2 how long it is, 4 the default list, 8 how long that is
 * reply  nfsstat3, post_op_attr, and if that is OK:
 *        uint32 mask as asked, access list, default list ({@link NfsAclEntries})
 * </pre>
 *
 * <p>If a file has no access list, the reply has one that grants the same as its permissions. NFS3ERR_NOTSUPP where the
 * backend has no lists; NFS3ERR_IO for a list that is longer than the protocol's limit.
 */
final class GetAcl implements Nfs3Procedure<GetAcl.Args> {
    static final int ACCESS = 1;
    static final int ACCESS_COUNT = 2;
    static final int DEFAULT = 4;
    static final int DEFAULT_COUNT = 8;
    static final int ALL = ACCESS | ACCESS_COUNT | DEFAULT | DEFAULT_COUNT;

    record Args(Nfs3Handle file, int mask) {}

    @Override
    public Args decode(XdrDecodingStream xdr) throws IOException {
        return new Args(Nfs3Handle.decode(xdr), xdr.xdrDecodeInt());
    }

    @Override
    public Nfs3Reply run(Nfs3Call call, Args args) throws FsException, Nfs3Exception {
        Nfs3File file = call.file(args.file());
        int mask = args.mask();
        if ((mask & ~ALL) != 0) {
            throw new Nfs3Exception(Nfs3Status.INVAL);
        }
        Acls acls = file.fileSystem().acls(file.handle());
        FileAttributes attributes = file.attributes();
        PosixAcl access = null;
        if ((mask & (ACCESS | ACCESS_COUNT)) != 0) {
            access = acls.access() != null ? acls.access() : PosixAcl.ofPermissions(attributes.permissions());
        }
        PosixAcl inherited = (mask & (DEFAULT | DEFAULT_COUNT)) != 0 ? acls.inherited() : null;
        requireSendable(access);
        requireSendable(inherited);
        return Nfs3Reply.ok(new Body(
                call.postOpAttr(file, file.handle(), attributes), mask, attributes, access, inherited)::encode);
    }

    private static void requireSendable(@Nullable PosixAcl acl) throws Nfs3Exception {
        if (NfsAclEntries.count(acl) > NfsAclEntries.MAX_ENTRIES) {
            throw new Nfs3Exception(Nfs3Status.IO);
        }
    }

    @Override
    public Nfs3Reply.Body failed(Nfs3Call call, Args args) {
        return call.postOpAttr(args.file())::encode;
    }

    private record Body(
            PostOpAttr after,
            int mask,
            FileAttributes file,
            @Nullable PosixAcl access,
            @Nullable PosixAcl inherited) {
        void encode(XdrEncodingStream xdr) {
            after.encode(xdr);
            xdr.xdrEncodeInt(mask);
            NfsAclEntries.encode(xdr, access, file, (mask & ACCESS) != 0, false);
            NfsAclEntries.encode(xdr, inherited, file, (mask & DEFAULT) != 0, true);
        }
    }
}
