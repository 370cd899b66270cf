package org.warpnfs.fs.spi;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * An access control list by POSIX.1e draft 17, as acl(5) describes it. Every instance is valid in the sense of
 * acl_valid(3): it has one entry each for the owner, the owning group and others, it names no user and no group twice,
 * and it has a mask if it names any.
 *
 * @param owner rwx of the owner
 * @param users rwx of named users, by uid
 * @param group rwx of the owning group, before the mask
 * @param groups rwx of named groups, by gid
 * @param mask upper limit of what named users, the owning group and named groups get, or null
 * @param other rwx of everyone else
 */
public record PosixAcl(
        int owner,
        SortedMap<Long, Integer> users,
        int group,
        SortedMap<Long, Integer> groups,
        @Nullable Integer mask,
        int other) {
    private static final int ALL = 7;
    private static final int MODE_BITS = 0777;
    /** (uid_t) -1 names nobody. */
    private static final long MAX_ID = 0xffff_fffeL;

    public PosixAcl {
        users = checked(users);
        groups = checked(groups);
        int named = owner | group | other | (mask == null ? 0 : mask);
        if ((named & ~ALL) != 0) {
            throw new IllegalArgumentException("permissions beyond rwx");
        }
        if (mask == null && !(users.isEmpty() && groups.isEmpty())) {
            throw new IllegalArgumentException("an access control list that names a user or group needs a mask");
        }
    }

    private static SortedMap<Long, Integer> checked(SortedMap<Long, Integer> named) {
        TreeMap<Long, Integer> copy = new TreeMap<>();
        named.forEach((id, permissions) -> {
            if (id < 0 || id > MAX_ID || (permissions & ~ALL) != 0) {
                throw new IllegalArgumentException("id " + id + " with permissions " + permissions);
            }
            copy.put(id, permissions);
        });
        return Collections.unmodifiableSortedMap(copy);
    }

    /** The list that grants the same as the low nine bits of st_mode. */
    public static PosixAcl ofPermissions(int permissions) {
        return new PosixAcl(
                permissions >>> 6 & ALL,
                Collections.emptySortedMap(),
                permissions >>> 3 & ALL,
                Collections.emptySortedMap(),
                null,
                permissions & ALL);
    }

    /**
     * Makes a list of these entries, which may come in any order.
     *
     * @throws FsException INVALID if acl_valid(3) would refuse it
     */
    public static PosixAcl of(List<AclEntry> entries) throws FsException {
        Integer owner = null;
        Integer group = null;
        Integer mask = null;
        Integer other = null;
        NavigableMap<Long, Integer> users = new TreeMap<>();
        NavigableMap<Long, Integer> groups = new TreeMap<>();
        for (AclEntry entry : entries) {
            switch (entry) {
                case AclEntry.UserObj _ -> owner = only(owner, entry);
                case AclEntry.User user -> name(users, user.uid(), entry);
                case AclEntry.GroupObj _ -> group = only(group, entry);
                case AclEntry.Group named -> name(groups, named.gid(), entry);
                case AclEntry.Mask _ -> mask = only(mask, entry);
                case AclEntry.Other _ -> other = only(other, entry);
            }
        }
        if (owner == null || group == null || other == null) {
            throw invalid("no entry for the owner, the owning group or others");
        }
        if (mask == null && !(users.isEmpty() && groups.isEmpty())) {
            throw invalid("it names a user or group but has no mask");
        }
        return new PosixAcl(owner, users, group, groups, mask, other);
    }

    private static void name(NavigableMap<Long, Integer> named, long id, AclEntry entry) throws FsException {
        if (id < 0 || id > MAX_ID) {
            throw invalid("no user or group can have the id " + id);
        }
        named.put(id, only(named.get(id), entry));
    }

    private static Integer only(@Nullable Integer before, AclEntry entry) throws FsException {
        if (before != null) {
            throw invalid("more than one entry " + entry.getClass().getSimpleName());
        }
        if ((entry.permissions() & ~ALL) != 0) {
            throw invalid("permissions beyond rwx");
        }
        return entry.permissions();
    }

    private static FsException invalid(String why) {
        return FsException.of(FsError.INVALID, "invalid access control list: " + why);
    }

    /** All entries in the order of acl(5): owner, users by number, owning group, groups by number, mask, others. */
    public List<AclEntry> entries() {
        List<AclEntry> entries = new ArrayList<>(entryCount());
        entries.add(new AclEntry.UserObj(owner));
        users.forEach((uid, permissions) -> entries.add(new AclEntry.User(uid, permissions)));
        entries.add(new AclEntry.GroupObj(group));
        groups.forEach((gid, permissions) -> entries.add(new AclEntry.Group(gid, permissions)));
        if (mask != null) {
            entries.add(new AclEntry.Mask(mask));
        }
        entries.add(new AclEntry.Other(other));
        return entries;
    }

    public int entryCount() {
        return 3 + users.size() + groups.size() + (mask == null ? 0 : 1);
    }

    /** True if st_mode alone can express the list. */
    public boolean isMinimal() {
        return mask == null;
    }

    /** The low nine bits of st_mode of a file with this list. The group bits are the mask if the list has one. */
    public int permissionBits() {
        return owner << 6 | (mask != null ? mask : group) << 3 | other;
    }

    /** The list after chmod(2) to {@code permissions}. The group bits become the mask if the list has one. */
    public PosixAcl withPermissionBits(int permissions) {
        int groupBits = permissions >>> 3 & ALL;
        return new PosixAcl(
                permissions >>> 6 & ALL,
                users,
                mask == null ? groupBits : group,
                groups,
                mask == null ? null : (Integer) groupBits,
                permissions & ALL);
    }

    /**
     * The access list of a new file whose directory has this default list and whose creator asks for
     * {@code permissions}: only what both allow. The umask has no effect (acl(5), object creation).
     */
    public PosixAcl inherited(int permissions) {
        return withPermissionBits(permissionBits() & permissions & MODE_BITS);
    }

    /**
     * The access check algorithm of acl(5). The first class that matches the caller decides. Among the caller's groups,
     * one entry that has all of {@code wanted} suffices. The superuser gets no special treatment here.
     *
     * @param uid the file's owner
     * @param gid the file's group
     * @param wanted rwx bits
     */
    public boolean allows(Caller caller, long uid, long gid, int wanted) {
        if (caller.uid() == uid) {
            return has(owner, wanted);
        }
        Integer own = users.get(caller.uid());
        if (own != null) {
            return has(masked(own), wanted);
        }
        boolean isMember = caller.isMemberOf(gid);
        if (isMember && has(masked(group), wanted)) {
            return true;
        }
        for (var named : groups.entrySet()) {
            if (caller.isMemberOf(named.getKey())) {
                isMember = true;
                if (has(masked(named.getValue()), wanted)) {
                    return true;
                }
            }
        }
        return !isMember && has(other, wanted);
    }

    private int masked(int permissions) {
        return mask == null ? permissions : permissions & mask;
    }

    private static boolean has(int permissions, int wanted) {
        return (permissions & wanted) == wanted;
    }
}
