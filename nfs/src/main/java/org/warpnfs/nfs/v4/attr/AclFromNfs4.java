package org.warpnfs.nfs.v4.attr;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.AclChanges;
import org.warpnfs.fs.spi.AclChanges.Change;
import org.warpnfs.fs.spi.PosixAcl;
import org.warpnfs.nfs.v4.attr.Nfs4Ace.Who;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/**
 * Converts an NFSv4 access control list to POSIX lists, as knfsd does (fs/nfsd/nfs4acl.c). The entries are processed in
 * order. For each user and group that is named, it records what has been allowed and denied; the first entry that
 * mentions a permission decides it. Where NFSv4 can express something that POSIX cannot, the result allows less, never
 * more: an entry that denies something to a group denies it to every user who could be a member.
 *
 * <p>Read, write and execute are granted if all NFSv4 permissions that make them up are. Write consists of write and
 * append and, on a directory, deletion of children. Other permissions are accepted and ignored, whether allowed or
 * denied. POSIX grants some of them to everybody, so a list that denies these is wider here than it says; but tools
 * deny them together with reading or writing, and a refusal would take away all that such an entry denies.
 */
final class AclFromNfs4 {
    private static final int SUPPORTED_FLAGS = Nfs4Ace.FILE_INHERIT | Nfs4Ace.DIRECTORY_INHERIT | Nfs4Ace.INHERIT_ONLY;
    private static final int INHERITANCE = Nfs4Ace.FILE_INHERIT | Nfs4Ace.DIRECTORY_INHERIT;
    /** The longest list that NFSv3 clients can read (NFS_ACL_MAX_ENTRIES). */
    private static final int MAX_ENTRIES = 1024;

    private final boolean directory;
    private final Said owner = new Said();
    private final Said group = new Said();
    private final Said other = new Said();
    /** What EVERYONE@ entries have said so far. A user or group that is named later starts with this. */
    private final Said everyone = new Said();

    private final SortedMap<Long, Said> users = new TreeMap<>();
    private final SortedMap<Long, Said> groups = new TreeMap<>();
    private boolean empty = true;

    private AclFromNfs4(boolean directory) {
        this.directory = directory;
    }

    /**
     * The changes that give a file the lists of {@code aces}.
     *
     * @throws Nfs4Exception ATTRNOTSUPP if POSIX lists cannot express them, NOSPC if a list would have more than
     *     {@value #MAX_ENTRIES} entries
     */
    static AclChanges map(List<Nfs4Ace> aces, boolean directory) throws Nfs4Exception {
        AclFromNfs4 access = new AclFromNfs4(directory);
        AclFromNfs4 inherited = new AclFromNfs4(directory);
        for (Nfs4Ace ace : aces) {
            boolean inherits = (ace.flags() & INHERITANCE) != 0;
            boolean isInheritOnly = (ace.flags() & Nfs4Ace.INHERIT_ONLY) != 0;
            // POSIX has one list for new files and new directories: what only one of them is allowed would be wider.
            boolean isWiderInPosix =
                    inherits && ace.type() == Nfs4Ace.ALLOW && (ace.flags() & INHERITANCE) != INHERITANCE;
            if ((ace.type() != Nfs4Ace.ALLOW && ace.type() != Nfs4Ace.DENY)
                    || (ace.flags() & ~SUPPORTED_FLAGS) != 0
                    || (inherits && !directory)
                    || (isInheritOnly && !inherits)
                    || isWiderInPosix) {
                throw notSupported();
            }
            if (inherits) {
                inherited.add(ace);
            }
            if (!isInheritOnly) {
                access.add(ace);
            }
        }
        PosixAcl toInherit = inherited.empty ? null : inherited.toPosix();
        return new AclChanges(new Change.Replace(access.toPosix()), change(toInherit));
    }

    private static Change change(@Nullable PosixAcl acl) {
        return acl == null ? Change.REMOVE : new Change.Replace(acl);
    }

    private static Nfs4Exception notSupported() {
        return Nfs4Exception.of(Nfs4Status.ATTRNOTSUPP);
    }

    private void add(Nfs4Ace ace) {
        empty = false;
        int mask = ace.mask();
        boolean allows = ace.type() == Nfs4Ace.ALLOW;
        switch (ace.who()) {
            case Who.Owner _ -> owner.say(allows, mask);
            case Who.User(long uid) -> {
                Said user = users.computeIfAbsent(uid, _ -> new Said(everyone));
                user.say(allows, mask);
                if (!allows) {
                    owner.deny(user.denied);
                }
            }
            case Who.OwningGroup _ -> {
                group.say(allows, mask);
                if (!allows) {
                    denyWhoCouldBeIn(group.denied);
                }
            }
            case Who.Group(long gid) -> {
                Said named = groups.computeIfAbsent(gid, _ -> new Said(everyone));
                named.say(allows, mask);
                if (!allows) {
                    group.deny(named.denied);
                    denyWhoCouldBeIn(named.denied);
                }
            }
            case Who.Everyone _ -> {
                owner.say(allows, mask);
                group.say(allows, mask);
                other.say(allows, mask);
                everyone.say(allows, mask);
                users.values().forEach(user -> user.say(allows, mask));
                groups.values().forEach(named -> named.say(allows, mask));
            }
        }
    }

    private void denyWhoCouldBeIn(int denied) {
        owner.deny(denied);
        everyone.deny(denied);
        users.values().forEach(user -> user.deny(denied));
        groups.values().forEach(named -> named.deny(denied));
    }

    private PosixAcl toPosix() throws Nfs4Exception {
        int allowedByMask = group.allowed;
        for (Said named : users.values()) {
            allowedByMask |= named.allowed;
        }
        for (Said named : groups.values()) {
            allowedByMask |= named.allowed;
        }
        boolean minimal = users.isEmpty() && groups.isEmpty();
        PosixAcl acl = new PosixAcl(
                permissions(owner.allowed),
                permissions(users),
                permissions(group.allowed),
                permissions(groups),
                minimal ? null : (Integer) permissions(allowedByMask),
                permissions(other.allowed));
        if (acl.entryCount() > MAX_ENTRIES) {
            throw Nfs4Exception.of(Nfs4Status.NOSPC);
        }
        return acl;
    }

    private SortedMap<Long, Integer> permissions(SortedMap<Long, Said> named) {
        SortedMap<Long, Integer> permissions = new TreeMap<>();
        named.forEach((id, said) -> permissions.put(id, permissions(said.allowed)));
        return permissions;
    }

    private int permissions(int allowed) {
        int write = Nfs4Ace.WRITE_DATA | Nfs4Ace.APPEND_DATA | (directory ? Nfs4Ace.DELETE_CHILD : 0);
        return ((allowed & Nfs4Ace.READ_DATA) != 0 ? 4 : 0)
                | ((allowed & write) == write ? 2 : 0)
                | ((allowed & Nfs4Ace.EXECUTE) != 0 ? 1 : 0);
    }

    /** What entries have said about one user or group so far. */
    private static final class Said {
        int allowed;
        int denied;

        Said() {}

        Said(Said before) {
            allowed = before.allowed;
            denied = before.denied;
        }

        void say(boolean allows, int mask) {
            if (allows) {
                allowed |= mask & ~denied;
            } else {
                deny(mask);
            }
        }

        void deny(int mask) {
            denied |= mask & ~allowed;
        }
    }
}
