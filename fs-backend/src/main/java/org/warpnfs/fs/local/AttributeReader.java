package org.warpnfs.fs.local;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.local.libc.AttributeCalls;
import org.warpnfs.fs.local.libc.DirectoryStream;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.HandleCalls;
import org.warpnfs.fs.local.libc.KernelHandle;
import org.warpnfs.fs.local.libc.Statx;
import org.warpnfs.fs.spi.Acls;
import org.warpnfs.fs.spi.FileAttribute;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.PosixJudge;
import org.warpnfs.fs.spi.Protection;
import org.warpnfs.fs.spi.Timestamp;

/** Converts the result of statx(2) to attributes of the SPI. */
final class AttributeReader {
    /** FILEID_BTRFS_WITHOUT_PARENT: inode number, number of the subvolume, generation. */
    private static final int BTRFS_HANDLE = 0x4d;

    private static final int BTRFS_HANDLE_BYTES = 20;
    /** The inode number of the root of each subvolume of btrfs. */
    private static final long SUBVOLUME_ROOT = 256;
    /** Marks the file ids of roots of subvolumes; no inode number of btrfs has it. */
    private static final long SUBVOLUME = Long.MIN_VALUE;

    private final ChangeIds changeIds = new ChangeIds();
    private final long treeId;
    private final long rootDevice;
    private final boolean subvolumes;
    private final boolean mapped;

    /**
     * Makes the reader of a tree.
     *
     * @param treeId identifies the tree, also after a restart
     * @param rootDevice the device of the tree's root; subvolumes of btrfs have other devices
     * @param subvolumes whether the tree is on btrfs
     * @param mapped whether files are to clients what their {@link OwnerAttribute} says
     */
    AttributeReader(long treeId, long rootDevice, boolean subvolumes, boolean mapped) {
        this.treeId = treeId;
        this.rootDevice = rootDevice;
        this.subvolumes = subvolumes;
        this.mapped = mapped;
    }

    /** True if type, owner, group and permissions are not those of the host. */
    boolean areMapped() {
        return mapped;
    }

    FileAttributes read(Fd fd) throws FsException {
        return convert(fd, seen(fd), FileAttribute.ALL);
    }

    /** What the file is to clients. */
    Statx seen(Fd fd) throws FsException {
        return seen(fd, statx(fd));
    }

    private Statx seen(Fd fd, Statx host) throws FsException {
        return mapped ? OwnerAttribute.of(fd, host).seen(host) : host;
    }

    /** What an open file is to clients, if that is known without a wait; else null. */
    @Nullable
    Statx seenQuickly(CachedFd open, Statx host) {
        if (!mapped) {
            return host;
        }
        OwnerAttribute known = open.owner().known(host);
        return known == null ? null : known.seen(host);
    }

    /** The file's access control lists. */
    Acls acls(Fd fd) throws FsException {
        Statx host = statx(fd);
        if (mapped) {
            return OwnerAttribute.of(fd, host).acls();
        }
        FileType type = type(host);
        return type == FileType.SYMLINK
                ? Acls.NONE
                : new Acls(
                        AclXattrs.get(fd, AclXattrs.ACCESS),
                        type == FileType.DIRECTORY ? AclXattrs.get(fd, AclXattrs.DEFAULT) : null);
    }

    /** What decides who may use a file whose owner is mapped, as it is at one moment. */
    Protection protectionOfMapped(Fd fd) throws FsException {
        return protection(OwnerAttribute.of(fd, statx(fd)));
    }

    private static Protection protection(OwnerAttribute kept) {
        return kept.ownership().protection(kept.type());
    }

    /** What decides who may use an open file whose owner is mapped. */
    static Protection protectionOfMapped(CachedFd open, Statx host) throws FsException {
        return protection(open.owner().of(open.fd(), host));
    }

    /** Reads the wanted attributes; the others may have any value. */
    FileAttributes read(Fd fd, Set<FileAttribute> wanted) throws FsException {
        try {
            return convert(fd, seen(fd, AttributeCalls.statx(fd, mask(wanted))), wanted);
        } catch (ErrnoException e) {
            throw Failure.of(e);
        }
    }

    /**
     * Reads the wanted attributes of an open file; the others may have any value.
     *
     * @param quickly whether {@link #seenQuickly} gave a result a moment ago, and the thread must not wait
     */
    FileAttributes read(CachedFd open, Set<FileAttribute> wanted, boolean quickly) throws FsException {
        Fd fd = open.fd();
        if (!mapped) {
            return read(fd, wanted);
        }
        Statx host = statx(fd);
        OwnerAttribute owner =
                quickly ? open.owner().knownLately(fd, host) : open.owner().of(fd, host);
        return convert(fd, owner.seen(host), wanted);
    }

    /** What statx(2) has to read for these attributes. */
    static int mask(Set<FileAttribute> wanted) {
        int mask = 0;
        for (FileAttribute attribute : wanted) {
            mask |= switch (attribute) {
                case PERMISSIONS -> Statx.STATX_MODE;
                case LINK_COUNT -> Statx.STATX_NLINK;
                case OWNER -> Statx.STATX_UID;
                case GROUP -> Statx.STATX_GID;
                case SIZE -> Statx.STATX_SIZE;
                case USED -> Statx.STATX_BLOCKS;
                case ACCESS_TIME -> Statx.STATX_ATIME;
                case MODIFY_TIME -> Statx.STATX_MTIME;
                case CHANGE_TIME, CHANGE_ID -> Statx.STATX_CTIME;
                case BIRTH_TIME -> Statx.STATX_BTIME | Statx.STATX_ATIME | Statx.STATX_MTIME | Statx.STATX_CTIME;
            };
        }
        return mask;
    }

    static Statx statx(Fd fd) throws FsException {
        try {
            return AttributeCalls.statx(fd);
        } catch (ErrnoException e) {
            throw Failure.of(e);
        }
    }

    /** Notes that the file was changed through the server. Returns what it is to clients. */
    Statx changed(Fd fd) throws FsException {
        Statx statx = statx(fd);
        changeIds.changed(statx);
        return seen(fd, statx);
    }

    /** Notes that an open file was changed through the server. Returns what it is to clients. */
    Statx changed(CachedFd open) throws FsException {
        Statx statx = statx(open.fd());
        changeIds.changed(statx);
        return mapped ? open.owner().of(open.fd(), statx).seen(statx) : statx;
    }

    /**
     * Converts what statx(2) told.
     *
     * @param file the file, or another one of its device
     */
    FileAttributes convert(Fd file, Statx statx, Set<FileAttribute> wanted) throws FsException {
        long device = statx.fileSystemDevice();
        long subvolume = device == rootDevice ? 0 : subvolume(file);
        FileType type = type(statx);
        boolean isDevice = type == FileType.BLOCK_DEVICE || type == FileType.CHARACTER_DEVICE;
        Timestamp accessTime = new Timestamp(statx.accessSeconds(), statx.accessNanos());
        Timestamp modifyTime = new Timestamp(statx.modifySeconds(), statx.modifyNanos());
        Timestamp changeTime = new Timestamp(statx.changeSeconds(), statx.changeNanos());
        Timestamp birthTime = statx.hasBirthTime()
                ? new Timestamp(statx.birthSeconds(), statx.birthNanos())
                : Collections.min(List.of(accessTime, modifyTime, changeTime));
        return new FileAttributes(
                type,
                statx.mode() & PosixJudge.PERMISSION_BITS,
                statx.linkCount(),
                statx.uid(),
                statx.gid(),
                statx.sizeBytes(),
                statx.usedBytes(),
                isDevice ? statx.deviceMajor() : 0,
                isDevice ? statx.deviceMinor() : 0,
                device == rootDevice ? treeId : treeId ^ Long.rotateLeft(subvolume == 0 ? device : subvolume, 17),
                subvolume != 0 && statx.inode() == SUBVOLUME_ROOT ? SUBVOLUME | subvolume : statx.inode(),
                accessTime,
                modifyTime,
                changeTime,
                birthTime,
                wanted.contains(FileAttribute.CHANGE_ID) ? changeIds.of(statx) : 0);
    }

    /**
     * The number of the subvolume of btrfs that a file is in, which outlives a remount; st_dev does not. 0 if it is in
     * none, or nobody knows.
     */
    private long subvolume(Fd file) throws FsException {
        if (!subvolumes) {
            return 0;
        }
        try {
            KernelHandle handle = HandleCalls.handleOf(file);
            byte[] bytes = handle.bytes();
            return handle.type() == BTRFS_HANDLE && bytes.length == BTRFS_HANDLE_BYTES
                    ? ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).getLong(Long.BYTES)
                    : 0;
        } catch (ErrnoException e) {
            throw Failure.of(e);
        }
    }

    /** True if a name may be that of a subvolume, which readdir(3) does not tell. */
    boolean mayBeSubvolume(DirectoryStream.Entry entry) {
        return subvolumes && type(entry.type()) == FileType.DIRECTORY;
    }

    /** True if a file that has a name is the root of a subvolume. Other files never have its inode number. */
    boolean isSubvolume(Statx named) {
        return subvolumes && named.inode() == SUBVOLUME_ROOT;
    }

    /** The file id of the root of a subvolume, of which the directory above has only the number. */
    static long fileIdOfSubvolume(DirectoryStream.Entry entry) {
        return SUBVOLUME | entry.inode();
    }

    /** The type by st_mode. */
    static FileType type(Statx statx) {
        return type(statx.type());
    }

    /** The type by the S_IFMT bits of st_mode. */
    static FileType type(int bits) {
        return switch (bits) {
            case 0040000 -> FileType.DIRECTORY;
            case 0120000 -> FileType.SYMLINK;
            case 0060000 -> FileType.BLOCK_DEVICE;
            case 0020000 -> FileType.CHARACTER_DEVICE;
            case 0010000 -> FileType.FIFO;
            case 0140000 -> FileType.SOCKET;
            default -> FileType.REGULAR;
        };
    }

    /** The S_IFMT bits of a type, for mknod(2). */
    static int typeBits(FileType type) {
        return switch (type) {
            case DIRECTORY -> 0040000;
            case SYMLINK -> 0120000;
            case BLOCK_DEVICE -> 0060000;
            case CHARACTER_DEVICE -> 0020000;
            case FIFO -> 0010000;
            case SOCKET -> 0140000;
            case REGULAR -> 0100000;
        };
    }
}
