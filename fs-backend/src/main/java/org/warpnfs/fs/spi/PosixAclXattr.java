package org.warpnfs.fs.spi;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The form of access control lists as extended attributes of Linux and Ceph (include/uapi/linux/posix_acl_xattr.h),
 * little endian.
 *
 * <pre>
 * bytes  field
 *  0- 3  version: 2
 *  then for each entry
 *  0- 1  tag: 1 user_obj, 2 user, 4 group_obj, 8 group, 0x10 mask, 0x20 other
 *  2- 3  permissions: rwx
 *  4- 7  id of a named user or group, else -1
 * </pre>
 */
public final class PosixAclXattr {
    private static final int VERSION = 2;
    private static final int ENTRY_BYTES = 8;
    private static final int USER_OBJ = 0x01;
    private static final int USER = 0x02;
    private static final int GROUP_OBJ = 0x04;
    private static final int GROUP = 0x08;
    private static final int MASK = 0x10;
    private static final int OTHER = 0x20;
    private static final int NO_ID = -1;
    private static final int ALL = 7;

    private PosixAclXattr() {}

    /** The value of the attribute for this list. */
    public static byte[] encode(PosixAcl acl) {
        ByteBuffer out = ByteBuffer.allocate(Integer.BYTES + acl.entryCount() * ENTRY_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(VERSION);
        for (AclEntry entry : acl.entries()) {
            switch (entry) {
                case AclEntry.UserObj _ -> put(out, USER_OBJ, entry, NO_ID);
                case AclEntry.User user -> put(out, USER, entry, (int) user.uid());
                case AclEntry.GroupObj _ -> put(out, GROUP_OBJ, entry, NO_ID);
                case AclEntry.Group group -> put(out, GROUP, entry, (int) group.gid());
                case AclEntry.Mask _ -> put(out, MASK, entry, NO_ID);
                case AclEntry.Other _ -> put(out, OTHER, entry, NO_ID);
            }
        }
        return out.array();
    }

    private static void put(ByteBuffer out, int tag, AclEntry entry, int id) {
        out.putShort((short) tag).putShort((short) entry.permissions()).putInt(id);
    }

    /**
     * Decodes a list; IO if that is impossible. Linux accepts entries that name the same user or group twice
     * (fs/posix_acl.c). It uses the first entry of a user, and any entry of a group that grants the access. So the
     * entries of one group are merged here.
     */
    public static PosixAcl decode(byte[] value) throws FsException {
        ByteBuffer in = ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN);
        if (in.remaining() < Integer.BYTES || in.getInt() != VERSION || in.remaining() % ENTRY_BYTES != 0) {
            throw unknown();
        }
        int owner = 0;
        SortedMap<Long, Integer> users = new TreeMap<>();
        int group = 0;
        SortedMap<Long, Integer> groups = new TreeMap<>();
        Integer mask = null;
        int other = 0;
        while (in.hasRemaining()) {
            int tag = in.getShort();
            int permissions = in.getShort() & ALL;
            long id = Integer.toUnsignedLong(in.getInt());
            switch (tag) {
                case USER_OBJ -> owner = permissions;
                case USER -> users.putIfAbsent(id, permissions);
                case GROUP_OBJ -> group = permissions;
                case GROUP -> groups.merge(id, permissions, (one, another) -> one | another);
                case MASK -> mask = permissions;
                case OTHER -> other = permissions;
                default -> throw unknown();
            }
        }
        try {
            return new PosixAcl(owner, users, group, groups, mask, other);
        } catch (IllegalArgumentException e) {
            throw unknown();
        }
    }

    private static FsException unknown() {
        return FsException.of(FsError.IO, "cannot decode the file's access control list");
    }
}
