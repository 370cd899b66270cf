package org.warpnfs.fs.spi;

import java.util.EnumSet;
import java.util.Set;
import org.warpnfs.fs.spi.AttributeChanges.TimeChange;
import org.warpnfs.fs.spi.FileSystem.Permission;

/**
 * Access checks by POSIX's rules on owner, group, permissions and access control lists, as Linux applies them. For
 * backends whose medium does not check access itself.
 */
public final class PosixJudge {
    /** S_ISUID. */
    public static final int SET_UID = 04000;
    /** S_ISGID. */
    public static final int SET_GID = 02000;
    /** S_ISVTX. */
    public static final int STICKY = 01000;
    /** The bits of st_mode that are permissions. */
    public static final int PERMISSION_BITS = 07777;

    private static final int READ_BIT = 4;
    private static final int WRITE_BIT = 2;
    private static final int EXECUTE_BIT = 1;
    private static final int ANY_EXECUTE = 0111;
    private static final int GROUP_EXECUTE = 0010;

    private PosixJudge() {}

    /** Those of {@code asked} that the caller has. */
    public static Set<Permission> permissions(Caller caller, Protection file, Set<Permission> asked) {
        Set<Permission> granted = EnumSet.noneOf(Permission.class);
        for (Permission permission : asked) {
            if (has(caller, file, permission)) {
                granted.add(permission);
            }
        }
        return granted;
    }

    /**
     * True if the caller has the permission. The first class that matches the caller decides, even if a later one
     * grants more.
     */
    public static boolean has(Caller caller, Protection file, Permission permission) {
        if (caller.isSuperuser()) {
            return permission != Permission.EXECUTE
                    || file.type() == FileType.DIRECTORY
                    || (file.permissions() & ANY_EXECUTE) != 0;
        }
        return allows(
                caller,
                file,
                switch (permission) {
                    case READ -> READ_BIT;
                    case WRITE -> WRITE_BIT;
                    case EXECUTE -> EXECUTE_BIT;
                });
    }

    private static boolean allows(Caller caller, Protection file, int wanted) {
        PosixAcl acl = file.acl();
        if (acl != null) {
            return acl.allows(caller, file.uid(), file.gid(), wanted);
        }
        int shift = caller.uid() == file.uid() ? 6 : caller.isMemberOf(file.gid()) ? 3 : 0;
        return (file.permissions() >>> shift & wanted) == wanted;
    }

    /** Throws ACCESS unless {@link #has} is true. */
    public static void require(Caller caller, Protection file, Permission permission) throws FsException {
        if (!has(caller, file, permission)) {
            throw FsException.of(FsError.ACCESS);
        }
    }

    /** Throws ACCESS unless the caller may add and remove names in the directory. */
    public static void requireModifiable(Caller caller, Protection directory) throws FsException {
        require(caller, directory, Permission.WRITE);
        require(caller, directory, Permission.EXECUTE);
    }

    /** Throws NOT_PERMITTED if the directory is sticky and the caller owns neither it nor the file. */
    public static void requireRemovable(Caller caller, Protection directory, Protection file) throws FsException {
        if ((directory.permissions() & STICKY) != 0
                && !caller.isSuperuser()
                && caller.uid() != directory.uid()
                && caller.uid() != file.uid()) {
            throw FsException.of(FsError.NOT_PERMITTED);
        }
    }

    /**
     * Checks whether {@link FileSystem#open} is permitted. The owner may always open a file. A caller that may execute
     * a file may read it, since that is how a client executes.
     */
    public static void requireOpenable(Caller caller, Protection file, OpenAccess access) throws FsException {
        if (file.uid() == caller.uid() || caller.isSuperuser()) {
            return;
        }
        int wanted = (access.reads() ? READ_BIT : 0) | (access.writes() ? WRITE_BIT : 0);
        if (!allows(caller, file, wanted) && (access.writes() || !allows(caller, file, EXECUTE_BIT))) {
            throw FsException.of(FsError.ACCESS);
        }
    }

    /**
     * Checks whether {@link FileSystem#setAcls} is permitted, before anything is changed: NOT_SUPPORTED on a symbolic
     * link, ACCESS if a default list is for anything but a directory, NOT_PERMITTED for anyone but the owner.
     */
    public static void requireAclsSettable(Caller caller, Protection file, AclChanges changes) throws FsException {
        if (file.type() == FileType.SYMLINK) {
            throw FsException.of(FsError.NOT_SUPPORTED);
        }
        if (changes.inherited() instanceof AclChanges.Change.Replace && file.type() != FileType.DIRECTORY) {
            throw FsException.of(FsError.ACCESS);
        }
        if (!caller.isSuperuser() && caller.uid() != file.uid()) {
            throw FsException.of(FsError.NOT_PERMITTED);
        }
    }

    /** Checks whether all of {@link FileSystem#setAttributes} is permitted, before anything is changed. */
    public static void requireSettable(Caller caller, Protection file, AttributeChanges changes) throws FsException {
        boolean owns = caller.isSuperuser() || caller.uid() == file.uid();
        Long uid = changes.uid();
        if (uid != null && !caller.isSuperuser() && !(owns && uid == file.uid())) {
            throw FsException.of(FsError.NOT_PERMITTED);
        }
        Long gid = changes.gid();
        if (gid != null && !caller.isSuperuser() && !(owns && (gid == file.gid() || caller.isMemberOf(gid)))) {
            throw FsException.of(FsError.NOT_PERMITTED);
        }
        if (changes.permissions() != null && !owns) {
            throw FsException.of(FsError.NOT_PERMITTED);
        }
        if (changes.sizeBytes() != null) {
            requireResizable(caller, file, changes.sizeBytes());
        }
        if (changes.accessTime() instanceof TimeChange.To || changes.modifyTime() instanceof TimeChange.To) {
            if (!owns) {
                throw FsException.of(FsError.NOT_PERMITTED);
            }
        } else if ((changes.accessTime() != null || changes.modifyTime() != null) && !owns) {
            require(caller, file, Permission.WRITE);
        }
    }

    private static void requireResizable(Caller caller, Protection file, long sizeBytes) throws FsException {
        if (file.type() == FileType.DIRECTORY) {
            throw FsException.of(FsError.IS_DIRECTORY);
        }
        if (file.type() != FileType.REGULAR || sizeBytes < 0) {
            throw FsException.of(FsError.INVALID);
        }
        if (caller.uid() != file.uid()) {
            require(caller, file, Permission.WRITE);
        }
    }

    /**
     * The permissions that result when the caller sets {@code permissions} on a file of this group. A caller outside of
     * the group cannot make the file set-group-id.
     */
    public static int settablePermissions(Caller caller, long fileGid, int permissions) {
        int wanted = permissions & PERMISSION_BITS;
        return caller.isSuperuser() || caller.isMemberOf(fileGid) ? wanted : wanted & ~SET_GID;
    }

    /**
     * Permissions after a change of owner or group: set-user-id and set-group-id are cleared, except on a directory.
     */
    public static int permissionsAfterChown(FileType type, int permissions) {
        return type == FileType.DIRECTORY ? permissions : withoutPrivileges(permissions);
    }

    /** Permissions after the caller changed the contents. */
    public static int permissionsAfterWrite(Caller caller, int permissions) {
        return caller.isSuperuser() ? permissions : withoutPrivileges(permissions);
    }

    private static int withoutPrivileges(int permissions) {
        int left = permissions & ~SET_UID;
        return (left & GROUP_EXECUTE) != 0 ? left & ~SET_GID : left;
    }

    /**
     * Checks whether the caller may give a new file of its own this owner and group. A backend that makes files first
     * and sets these later asks before: a caller that is told of a failure would find the name taken.
     *
     * @param permissions of the directory
     * @param gid of the directory
     */
    public static void requireOwnable(Caller caller, int permissions, long gid, AttributeChanges wanted)
            throws FsException {
        Long newGid = wanted.gid();
        boolean isInherited = newGid != null && newGid == gid && (permissions & SET_GID) != 0;
        boolean isOfAnother = wanted.uid() != null && wanted.uid() != caller.uid();
        boolean isOfOthers = newGid != null && !isInherited && !caller.isMemberOf(newGid);
        if (!caller.isSuperuser() && (isOfAnother || isOfOthers)) {
            throw FsException.of(FsError.NOT_PERMITTED);
        }
    }

    /**
     * The group of a new file in {@code directory}: the directory's group if the directory is set-group-id, else the
     * caller's.
     */
    public static long groupOfNew(Caller caller, Protection directory) {
        return (directory.permissions() & SET_GID) != 0 ? directory.gid() : caller.gid();
    }

    /** The permissions of a new file in {@code directory}. A new directory inherits set-group-id from its parent. */
    public static int permissionsOfNew(Caller caller, Protection directory, FileType type, int wanted) {
        boolean inherits = (directory.permissions() & SET_GID) != 0;
        if (type == FileType.DIRECTORY) {
            // mkdir(2) of Linux accepts the sticky bit and ignores set-user-id and set-group-id
            return (wanted & 01777) | (inherits ? SET_GID : 0);
        }
        boolean foreignGroup = inherits && !caller.isSuperuser() && !caller.isMemberOf(directory.gid());
        boolean executableByGroup = (wanted & (SET_GID | GROUP_EXECUTE)) == (SET_GID | GROUP_EXECUTE);
        return wanted & PERMISSION_BITS & (foreignGroup && executableByGroup ? ~SET_GID : ~0);
    }
}
