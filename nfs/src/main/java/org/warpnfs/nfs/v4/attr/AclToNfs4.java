package org.warpnfs.nfs.v4.attr;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.PosixAcl;
import org.warpnfs.nfs.v4.attr.Nfs4Ace.Who;

/**
 * Converts POSIX access control lists to an NFSv4 list, as in draft-ietf-nfsv4-acl-mapping and knfsd
 * (fs/nfsd/nfs4acl.c). The entries are in POSIX's order and allow what is left after the mask. POSIX stops at the first
 * entry that matches, but NFSv4 goes on to later ones. So each user is first denied what later entries would add. All
 * groups are allowed before any is denied, since a user can be in several. The entries of a default list follow,
 * inherit only.
 */
final class AclToNfs4 {
    private static final int READ = 4;
    private static final int WRITE = 2;
    private static final int EXECUTE = 1;
    private static final int ALL = 7;
    /**
     * Permissions that every entry allows: any client that has found the file may read its attributes, whatever its
     * list says.
     */
    private static final int ANYONE = Nfs4Ace.READ_ATTRIBUTES | Nfs4Ace.READ_ACL | Nfs4Ace.SYNCHRONIZE;

    private static final int OWNER_ONLY = Nfs4Ace.WRITE_ATTRIBUTES | Nfs4Ace.WRITE_ACL;
    private static final int INHERITED = Nfs4Ace.FILE_INHERIT | Nfs4Ace.DIRECTORY_INHERIT | Nfs4Ace.INHERIT_ONLY;

    private final boolean directory;
    private final List<Nfs4Ace> aces = new ArrayList<>();

    private AclToNfs4(boolean directory) {
        this.directory = directory;
    }

    /**
     * Maps both lists of a file.
     *
     * @param inherited a directory's default list, or null
     */
    static List<Nfs4Ace> map(PosixAcl access, @Nullable PosixAcl inherited, boolean directory) {
        AclToNfs4 mapping = new AclToNfs4(directory);
        mapping.add(access, 0);
        if (inherited != null) {
            mapping.add(inherited, INHERITED);
        }
        return mapping.aces;
    }

    private void add(PosixAcl acl, int flags) {
        int mask = acl.mask() == null ? ALL : acl.mask();
        int group = acl.group() & mask;
        int groups = group;
        for (int permissions : acl.groups().values()) {
            groups |= permissions & mask;
        }
        int users = 0;
        for (int permissions : acl.users().values()) {
            users |= permissions & mask;
        }
        int afterUsers = groups | acl.other();
        deny(flags, ~acl.owner() & (users | afterUsers), new Who.Owner());
        allow(flags, maskOf(acl.owner()) | OWNER_ONLY, new Who.Owner());
        acl.users().forEach((uid, permissions) -> {
            deny(flags, ~(permissions & mask) & afterUsers, new Who.User(uid));
            allow(flags, maskOf(permissions & mask), new Who.User(uid));
        });
        allow(flags, maskOf(group), new Who.OwningGroup());
        acl.groups().forEach((gid, permissions) -> allow(flags, maskOf(permissions & mask), new Who.Group(gid)));
        deny(flags, ~group & acl.other(), new Who.OwningGroup());
        acl.groups()
                .forEach((gid, permissions) -> deny(flags, ~(permissions & mask) & acl.other(), new Who.Group(gid)));
        allow(flags, maskOf(acl.other()), new Who.Everyone());
    }

    private void allow(int flags, int mask, Who who) {
        aces.add(new Nfs4Ace(Nfs4Ace.ALLOW, flags, mask | ANYONE, who));
    }

    private void deny(int flags, int permissions, Who who) {
        if ((permissions & ALL) != 0) {
            aces.add(new Nfs4Ace(Nfs4Ace.DENY, flags, maskOf(permissions), who));
        }
    }

    private int maskOf(int permissions) {
        int mask = (permissions & READ) != 0 ? Nfs4Ace.READ_DATA : 0;
        if ((permissions & WRITE) != 0) {
            mask |= Nfs4Ace.WRITE_DATA | Nfs4Ace.APPEND_DATA | (directory ? Nfs4Ace.DELETE_CHILD : 0);
        }
        return mask | ((permissions & EXECUTE) != 0 ? Nfs4Ace.EXECUTE : 0);
    }
}
