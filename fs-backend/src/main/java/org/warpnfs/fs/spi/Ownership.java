package org.warpnfs.fs.spi;

import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.AclChanges.Change;

/**
 * Who owns a file and what that lets others do, for backends that keep it themselves: how it begins, and what chown,
 * chmod, setfacl and a write make of it, by POSIX, acl(5) and Linux. Whether the caller may make the change is judged
 * before, by {@link PosixJudge}.
 *
 * @param permissions the low twelve bits of st_mode
 */
public record Ownership(int permissions, long uid, long gid, Acls acls) {
    private static final int MODE_BITS = 0777;

    /**
     * The ownership of a new file.
     *
     * @param directory that of the directory in which it is made
     * @param wanted the permissions that the caller asks for; those of a symbolic link are always the same
     */
    public static Ownership ofNew(Caller caller, Ownership directory, FileType type, int wanted) {
        Protection parent = directory.protection(FileType.DIRECTORY);
        int permissions = PosixJudge.permissionsOfNew(
                caller, parent, type, type == FileType.SYMLINK ? PosixRules.SYMLINK_PERMISSIONS : wanted);
        PosixAcl template = directory.acls.inherited();
        Acls acls = Acls.NONE;
        if (template != null && type != FileType.SYMLINK) {
            PosixAcl access = template.inherited(permissions);
            permissions = withBits(permissions, access);
            acls = new Acls(listOrNull(access), type == FileType.DIRECTORY ? template : null);
        }
        return new Ownership(permissions, caller.uid(), PosixJudge.groupOfNew(caller, parent), acls);
    }

    /** After chown(2) and chmod(2), as far as they are in {@code changes}. A symbolic link has no permissions. */
    public Ownership after(Caller caller, FileType type, AttributeChanges changes) {
        long newUid = changes.uid() != null ? changes.uid() : uid;
        long newGid = changes.gid() != null ? changes.gid() : gid;
        int newPermissions = changes.uid() != null || changes.gid() != null
                ? PosixJudge.permissionsAfterChown(type, permissions)
                : permissions;
        Acls newAcls = acls;
        if (changes.permissions() != null && type != FileType.SYMLINK) {
            newPermissions = PosixJudge.settablePermissions(caller, newGid, changes.permissions());
            PosixAcl access = acls.access();
            if (access != null) {
                newAcls = new Acls(access.withPermissionBits(newPermissions), acls.inherited());
            }
        }
        return new Ownership(newPermissions, newUid, newGid, newAcls);
    }

    /** After a change of the lists. A new access list sets the permissions, and takes away a foreign set-group-id. */
    public Ownership after(Caller caller, AclChanges changes) {
        int newPermissions = permissions;
        if (changes.access() instanceof Change.Replace(var list)) {
            newPermissions = withBits(PosixJudge.settablePermissions(caller, gid, permissions), list);
        }
        PosixAcl access = after(changes.access(), acls.access());
        return new Ownership(
                newPermissions,
                uid,
                gid,
                new Acls(access == null ? null : listOrNull(access), after(changes.inherited(), acls.inherited())));
    }

    /** After the caller has changed the contents. */
    public Ownership afterWrite(Caller caller) {
        return new Ownership(PosixJudge.permissionsAfterWrite(caller, permissions), uid, gid, acls);
    }

    /** What decides who may use a file of this type. */
    public Protection protection(FileType type) {
        return new Protection(type, permissions, uid, gid, acls.access());
    }

    private static @Nullable PosixAcl after(Change change, @Nullable PosixAcl before) {
        return switch (change) {
            case Change.Keep _ -> before;
            case Change.Remove _ -> null;
            case Change.Replace(var acl) -> acl;
        };
    }

    private static int withBits(int permissions, PosixAcl acl) {
        return (permissions & ~MODE_BITS) | acl.permissionBits();
    }

    /** Permissions say all that a minimal list says. */
    private static @Nullable PosixAcl listOrNull(PosixAcl acl) {
        return acl.isMinimal() ? null : acl;
    }
}
