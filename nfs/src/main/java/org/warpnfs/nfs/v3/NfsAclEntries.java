package org.warpnfs.nfs.v3;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.AclEntry;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.PosixAcl;
import org.warpnfs.nfs.xdr.BoundedXdr;
import org.warpnfs.nfs.xdr.XdrViolation;

/**
 * A list of the NFS_ACL program, as Solaris defined it.
 *
 * <pre>
 * uint32  number of entries of the list
 * uint32  number of entries that follow: the same, or 0 if they were not asked for
 *  then for each entry
 * uint32  tag: 1 user_obj, 2 user, 4 group_obj, 8 group, 0x10 mask, 0x20 other; with 0x1000 in a default list
 * uint32  id: of a named user or group; of the owner and the owning group; else 0
 * uint32  permissions: rwx
 * </pre>
 *
 * <p>A list always has a mask on the wire. One without a mask gets a mask that equals its group_obj. In a list of four
 * entries that is received, such a mask is dropped.
 */
final class NfsAclEntries {
    /** NFS_ACL_MAX_ENTRIES: the longest list that Linux sends or accepts. */
    static final int MAX_ENTRIES = 1024;

    private static final int DEFAULT_FLAG = 0x1000;
    private static final int USER_OBJ = 0x01;
    private static final int USER = 0x02;
    private static final int GROUP_OBJ = 0x04;
    private static final int GROUP = 0x08;
    private static final int MASK = 0x10;
    private static final int OTHER = 0x20;
    private static final int ALL = 7;
    private static final int MINIMAL_WITH_MASK = 4;

    private NfsAclEntries() {}

    /** Number of entries of {@code acl} on the wire, including its mask; 0 for null. */
    static int count(@Nullable PosixAcl acl) {
        return acl == null ? 0 : Math.max(acl.entryCount(), MINIMAL_WITH_MASK);
    }

    /**
     * Encodes a list.
     *
     * @param acl null for none
     * @param file the file that the list belongs to
     * @param withEntries false to encode only their number
     * @param isDefault true for a directory's list for new files in it
     */
    static void encode(
            XdrEncodingStream xdr,
            @Nullable PosixAcl acl,
            FileAttributes file,
            boolean withEntries,
            boolean isDefault) {
        int count = count(acl);
        xdr.xdrEncodeInt(count);
        if (acl == null || !withEntries) {
            xdr.xdrEncodeInt(0);
            return;
        }
        xdr.xdrEncodeInt(count);
        int flag = isDefault ? DEFAULT_FLAG : 0;
        for (AclEntry entry : acl.entries()) {
            if (entry instanceof AclEntry.Other && acl.mask() == null) {
                encode(xdr, flag | MASK, 0, acl.group());
            }
            switch (entry) {
                case AclEntry.UserObj(int rwx) -> encode(xdr, flag | USER_OBJ, file.uid(), rwx);
                case AclEntry.User(long uid, int rwx) -> encode(xdr, flag | USER, uid, rwx);
                case AclEntry.GroupObj(int rwx) -> encode(xdr, flag | GROUP_OBJ, file.gid(), rwx);
                case AclEntry.Group(long gid, int rwx) -> encode(xdr, flag | GROUP, gid, rwx);
                case AclEntry.Mask(int rwx) -> encode(xdr, flag | MASK, 0, rwx);
                case AclEntry.Other(int rwx) -> encode(xdr, flag | OTHER, 0, rwx);
            }
        }
    }

    private static void encode(XdrEncodingStream xdr, int tag, long id, int permissions) {
        xdr.xdrEncodeInt(tag);
        xdr.xdrEncodeInt((int) id);
        xdr.xdrEncodeInt(permissions);
    }

    /**
     * Decodes a list of at most {@value #MAX_ENTRIES} entries, which may be in any order.
     *
     * @param mustFollow true if all entries of the list must be present
     */
    static List<AclEntry> decode(XdrDecodingStream xdr, boolean mustFollow) throws IOException {
        int count = BoundedXdr.count(xdr, MAX_ENTRIES);
        int following = BoundedXdr.count(xdr, count);
        if (mustFollow && following != count) {
            throw new XdrViolation("access control list with " + following + " of its " + count + " entries");
        }
        List<AclEntry> entries = new ArrayList<>();
        for (int i = 0; i < following; i++) {
            entries.add(decodeEntry(xdr));
        }
        return withoutNeedlessMask(entries);
    }

    private static AclEntry decodeEntry(XdrDecodingStream xdr) throws IOException {
        int tag = xdr.xdrDecodeInt() & ~DEFAULT_FLAG;
        long id = BoundedXdr.uint32(xdr);
        int permissions = xdr.xdrDecodeInt();
        if (tag == MASK) {
            // Solaris sometimes sets other bits too.
            return new AclEntry.Mask(permissions & ALL);
        }
        if ((permissions & ~ALL) != 0) {
            throw new XdrViolation("permissions " + Integer.toHexString(permissions));
        }
        return switch (tag) {
            case USER_OBJ -> new AclEntry.UserObj(permissions);
            case USER -> new AclEntry.User(id, permissions);
            case GROUP_OBJ -> new AclEntry.GroupObj(permissions);
            case GROUP -> new AclEntry.Group(id, permissions);
            case OTHER -> new AclEntry.Other(permissions);
            default ->
                throw new XdrViolation("access control list entry with the unknown tag 0x" + Integer.toHexString(tag));
        };
    }

    private static List<AclEntry> withoutNeedlessMask(List<AclEntry> entries) {
        if (entries.size() != MINIMAL_WITH_MASK) {
            return entries;
        }
        for (AclEntry entry : entries) {
            if (entry instanceof AclEntry.GroupObj(int rwx)) {
                AclEntry needless = new AclEntry.Mask(rwx);
                return entries.contains(needless)
                        ? entries.stream().filter(e -> !e.equals(needless)).toList()
                        : entries;
            }
        }
        return entries;
    }
}
