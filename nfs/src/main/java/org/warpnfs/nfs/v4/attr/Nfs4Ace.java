package org.warpnfs.nfs.v4.attr;

/**
 * nfsace4 (RFC 8881, section 6.2.1).
 *
 * @param type ALLOW or DENY; other types can be decoded but are not supported
 * @param flags ACE4_*_ACE without IDENTIFIER_GROUP, which {@code who} expresses
 * @param mask permissions, ACE4_* of section 6.2.1.3.1
 */
record Nfs4Ace(int type, int flags, int mask, Who who) {
    static final int ALLOW = 0;
    static final int DENY = 1;

    static final int FILE_INHERIT = 0x1;
    static final int DIRECTORY_INHERIT = 0x2;
    static final int INHERIT_ONLY = 0x8;

    static final int READ_DATA = 0x1;
    static final int WRITE_DATA = 0x2;
    static final int APPEND_DATA = 0x4;
    static final int EXECUTE = 0x20;
    static final int DELETE_CHILD = 0x40;
    static final int READ_ATTRIBUTES = 0x80;
    static final int WRITE_ATTRIBUTES = 0x100;
    static final int READ_ACL = 0x2_0000;
    static final int WRITE_ACL = 0x4_0000;
    static final int SYNCHRONIZE = 0x10_0000;

    /** The user or group that the entry is for. */
    sealed interface Who {
        /** OWNER@. */
        record Owner() implements Who {}

        /** A user by number. */
        record User(long uid) implements Who {}

        /** GROUP@: the owning group. */
        record OwningGroup() implements Who {}

        /** A group by number. On the wire, IDENTIFIER_GROUP is set. */
        record Group(long gid) implements Who {}

        /** EVERYONE@, including the owner and the groups. */
        record Everyone() implements Who {}
    }
}
