package org.warpnfs.fs.spi;

import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.AttributeChanges.TimeChange;
import org.warpnfs.fs.spi.FileSystem.Permission;

/**
 * What POSIX says about changes, for backends that have to apply it themselves: which file is accepted where another
 * was asked for, and which attributes result. Who may do what is in {@link PosixJudge}.
 */
public final class PosixRules {
    /** PATH_MAX of Linux without its NUL. */
    public static final int MAX_SYMLINK_BYTES = 4095;

    static final int SYMLINK_PERMISSIONS = 0777;

    private PosixRules() {}

    /** Throws IS_DIRECTORY, SYMLINK or WRONG_TYPE unless the type is that of a regular file. */
    public static void requireRegular(FileType type) throws FsException {
        switch (type) {
            case REGULAR -> {}
            case DIRECTORY -> throw FsException.of(FsError.IS_DIRECTORY);
            case SYMLINK -> throw FsException.of(FsError.SYMLINK);
            case BLOCK_DEVICE, CHARACTER_DEVICE, FIFO, SOCKET -> throw FsException.of(FsError.WRONG_TYPE);
        }
    }

    /** Throws NAME_TOO_LONG, NO_ENTRY or INVALID unless a symbolic link can have the target. */
    public static void requireSymlinkTarget(byte[] target) throws FsException {
        if (target.length > MAX_SYMLINK_BYTES) {
            throw FsException.of(FsError.NAME_TOO_LONG);
        }
        if (target.length == 0) {
            throw FsException.of(FsError.NO_ENTRY);
        }
        for (byte b : target) {
            if (b == 0) {
                throw FsException.of(FsError.INVALID);
            }
        }
    }

    /**
     * True if the file may come from an earlier exclusive create by this caller. A file of another owner, or one whose
     * length was changed since, does not.
     */
    public static boolean isAsMade(Caller caller, FileAttributes found, AttributeChanges wanted) {
        Long sizeBytes = wanted.sizeBytes();
        return found.sizeBytes() == (sizeBytes == null ? 0 : sizeBytes)
                && (caller.isSuperuser() || found.uid() == caller.uid());
    }

    /**
     * The attributes of a new file of an exclusive create. Its verifier is kept in the two times until the caller sets
     * them: 31 bits in the seconds of each, since some file systems keep no more of a time. The two bits left over are
     * folded in, so that verifiers that differ in any one bit have other times.
     */
    public static AttributeChanges withVerifier(CreateMode.Exclusive mode) {
        AttributeChanges wanted = mode.attributes();
        return new AttributeChanges(
                wanted.permissions(),
                wanted.uid(),
                wanted.gid(),
                wanted.sizeBytes(),
                new TimeChange.To(accessTimeOf(mode.verifier())),
                new TimeChange.To(modifyTimeOf(mode.verifier())));
    }

    /** True if the file may come from the same exclusive create by this caller. */
    public static boolean isMadeBy(Caller caller, CreateMode.Exclusive mode, FileAttributes found) {
        return found.type() == FileType.REGULAR
                && found.accessTime().equals(accessTimeOf(mode.verifier()))
                && found.modifyTime().equals(modifyTimeOf(mode.verifier()))
                && isAsMade(caller, found, mode.attributes());
    }

    /** The access time of a file with that verifier. */
    public static Timestamp accessTimeOf(long verifier) {
        return new Timestamp((verifier ^ verifier >>> 62) & 0x7fff_ffff, 0);
    }

    /** The modification time of a file with that verifier. */
    public static Timestamp modifyTimeOf(long verifier) {
        return new Timestamp((verifier >>> 31) & 0x7fff_ffff, 0);
    }

    /**
     * Checks whether a rename is permitted, and whether one file may replace the other. That a directory does not move
     * into itself, and that one that is replaced is empty, remains to be checked.
     *
     * @param replaced the file that has the new name, or null
     * @param changesParent whether the two directories differ
     */
    public static void requireRenamable(
            Caller caller,
            Protection from,
            Protection moved,
            Protection to,
            @Nullable Protection replaced,
            boolean changesParent)
            throws FsException {
        PosixJudge.requireModifiable(caller, from);
        PosixJudge.requireRemovable(caller, from, moved);
        PosixJudge.requireModifiable(caller, to);
        boolean isDirectory = moved.type() == FileType.DIRECTORY;
        if (replaced != null) {
            PosixJudge.requireRemovable(caller, to, replaced);
            if (isDirectory && replaced.type() != FileType.DIRECTORY) {
                throw FsException.of(FsError.NOT_DIRECTORY);
            }
            if (!isDirectory && replaced.type() == FileType.DIRECTORY) {
                throw FsException.of(FsError.IS_DIRECTORY);
            }
        }
        if (isDirectory && changesParent) {
            // The directory's ".." changes.
            PosixJudge.require(caller, moved, Permission.WRITE);
        }
    }

    /**
     * The attributes of a new file without access control lists.
     *
     * @param wanted those that the caller asked for; its length has to be set by {@link #afterChange}
     * @param changeId the first change id, and {@code now} the time of birth
     * @throws FsException NOT_PERMITTED if the caller may not have them
     */
    public static FileAttributes ofNew(
            Caller caller,
            FileAttributes directory,
            FileType type,
            AttributeChanges wanted,
            long fileId,
            Timestamp now,
            long changeId)
            throws FsException {
        Protection parent = Protection.of(directory, null);
        Integer permissions = type == FileType.SYMLINK ? Integer.valueOf(SYMLINK_PERMISSIONS) : wanted.permissions();
        FileAttributes made = new FileAttributes(
                type,
                PosixJudge.permissionsOfNew(caller, parent, type, permissions == null ? 0 : permissions),
                type == FileType.DIRECTORY ? 2 : 1,
                caller.uid(),
                PosixJudge.groupOfNew(caller, parent),
                0,
                0,
                0,
                0,
                directory.fileSystemId(),
                fileId,
                now,
                now,
                now,
                now,
                changeId);
        AttributeChanges rest = new AttributeChanges(
                null, wanted.uid(), wanted.gid(), wanted.sizeBytes(), wanted.accessTime(), wanted.modifyTime());
        PosixJudge.requireSettable(caller, Protection.of(made, null), rest);
        return rest.isEmpty() ? made : afterChange(caller, made, rest, now, changeId);
    }

    /** The attributes after a change that {@link PosixJudge#requireSettable} permits. */
    public static FileAttributes afterChange(
            Caller caller, FileAttributes before, AttributeChanges changes, Timestamp now, long changeId) {
        long uid = changes.uid() != null ? changes.uid() : before.uid();
        long gid = changes.gid() != null ? changes.gid() : before.gid();
        int permissions = before.permissions();
        if (changes.uid() != null || changes.gid() != null) {
            permissions = PosixJudge.permissionsAfterChown(before.type(), permissions);
        }
        if (changes.permissions() != null && before.type() != FileType.SYMLINK) {
            permissions = PosixJudge.settablePermissions(caller, gid, changes.permissions());
        }
        Long sizeBytes = changes.sizeBytes();
        if (sizeBytes != null) {
            permissions = PosixJudge.permissionsAfterWrite(caller, permissions);
        }
        return new FileAttributes(
                before.type(),
                permissions,
                before.linkCount(),
                uid,
                gid,
                sizeBytes != null ? sizeBytes : before.sizeBytes(),
                before.usedBytes(),
                before.deviceMajor(),
                before.deviceMinor(),
                before.fileSystemId(),
                before.fileId(),
                time(changes.accessTime(), before.accessTime(), now),
                time(changes.modifyTime(), sizeBytes != null ? now : before.modifyTime(), now),
                now,
                before.birthTime(),
                changeId);
    }

    private static Timestamp time(@Nullable TimeChange change, Timestamp otherwise, Timestamp now) {
        return switch (change) {
            case null -> otherwise;
            case TimeChange.ToServerTime _ -> now;
            case TimeChange.To to -> to.time();
        };
    }

    /** The attributes after the caller has written to a file that is now so long. */
    public static FileAttributes afterWrite(
            Caller caller, FileAttributes before, long sizeBytes, Timestamp now, long changeId) {
        return afterChange(caller, before, AttributeChanges.ofSize(sizeBytes), now, changeId);
    }

    /** The attributes after the names of a file, or in a directory, have changed. */
    public static FileAttributes afterNaming(FileAttributes before, int links, Timestamp now, long changeId) {
        Timestamp modifyTime = before.type() == FileType.DIRECTORY ? now : before.modifyTime();
        return copy(
                before, before.linkCount() + links, before.sizeBytes(), before.usedBytes(), modifyTime, now, changeId);
    }

    /** The attributes of a file or a directory after it was renamed. */
    public static FileAttributes afterRename(FileAttributes before, Timestamp now, long changeId) {
        return copy(
                before, before.linkCount(), before.sizeBytes(), before.usedBytes(), before.modifyTime(), now, changeId);
    }

    /** The same attributes with another length, for example that of a symbolic link's target. */
    public static FileAttributes withSizeBytes(FileAttributes file, long sizeBytes) {
        return copy(
                file,
                file.linkCount(),
                sizeBytes,
                file.usedBytes(),
                file.modifyTime(),
                file.changeTime(),
                file.changeId());
    }

    /** The same attributes with other space taken. */
    public static FileAttributes withUsedBytes(FileAttributes file, long usedBytes) {
        return copy(
                file,
                file.linkCount(),
                file.sizeBytes(),
                usedBytes,
                file.modifyTime(),
                file.changeTime(),
                file.changeId());
    }

    private static FileAttributes copy(
            FileAttributes of,
            int linkCount,
            long sizeBytes,
            long usedBytes,
            Timestamp modifyTime,
            Timestamp changeTime,
            long changeId) {
        return new FileAttributes(
                of.type(),
                of.permissions(),
                linkCount,
                of.uid(),
                of.gid(),
                sizeBytes,
                usedBytes,
                of.deviceMajor(),
                of.deviceMinor(),
                of.fileSystemId(),
                of.fileId(),
                of.accessTime(),
                modifyTime,
                changeTime,
                of.birthTime(),
                changeId);
    }
}
