package org.warpnfs.fs.spi;

/**
 * One entry of an access control list, as in acl(5): a user or group, and which of read (4), write (2) and execute or
 * search (1) it is granted.
 */
public sealed interface AclEntry {
    /** Granted permissions: rwx in the low three bits. */
    int permissions();

    /** ACL_USER_OBJ: the owner. */
    record UserObj(int permissions) implements AclEntry {}

    /** ACL_USER: one user, by an unsigned 32-bit number. */
    record User(long uid, int permissions) implements AclEntry {}

    /** ACL_GROUP_OBJ: the owning group. */
    record GroupObj(int permissions) implements AclEntry {}

    /** ACL_GROUP: one group, by an unsigned 32-bit number. */
    record Group(long gid, int permissions) implements AclEntry {}

    /** ACL_MASK: the most that named users and groups and the owning group get. */
    record Mask(int permissions) implements AclEntry {}

    /** ACL_OTHER: everyone else. */
    record Other(int permissions) implements AclEntry {}
}
