package org.warpnfs.fs.ceph;

import java.util.Set;
import org.warpnfs.fs.ceph.libcephfs.CephStatx;
import org.warpnfs.fs.spi.FileAttribute;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.PosixJudge;
import org.warpnfs.fs.spi.Timestamp;

/** Attributes of files in the terms of the SPI. */
final class Attributes {
    private static final int S_IFIFO = 0010000;
    private static final int S_IFCHR = 0020000;
    private static final int S_IFDIR = 0040000;
    private static final int S_IFBLK = 0060000;
    private static final int S_IFREG = 0100000;
    private static final int S_IFLNK = 0120000;
    private static final int S_IFSOCK = 0140000;

    private Attributes() {}

    /**
     * What Ceph has to be asked for, if these attributes are wanted. The size and the times of a file's contents are
     * with whoever is writing it: to ask for them makes the servers ask that client first. What is in
     * {@link CephStatx#IDENTITY} is not.
     */
    static int mask(Set<FileAttribute> wanted) {
        int mask = 0;
        for (FileAttribute attribute : wanted) {
            mask |= switch (attribute) {
                case PERMISSIONS -> CephStatx.WANT_MODE;
                case LINK_COUNT -> CephStatx.WANT_NLINK;
                case OWNER -> CephStatx.WANT_UID;
                case GROUP -> CephStatx.WANT_GID;
                case SIZE -> CephStatx.WANT_SIZE;
                case USED -> CephStatx.WANT_BLOCKS;
                case ACCESS_TIME -> CephStatx.WANT_ATIME;
                case MODIFY_TIME -> CephStatx.WANT_MTIME;
                case CHANGE_TIME -> CephStatx.WANT_CTIME;
                case BIRTH_TIME -> CephStatx.WANT_BTIME;
                case CHANGE_ID -> CephStatx.WANT_VERSION;
            };
        }
        return mask;
    }

    static FileAttributes of(CephStatx statx, long fileSystem) {
        FileType type = type(statx.type());
        boolean isDevice = type == FileType.BLOCK_DEVICE || type == FileType.CHARACTER_DEVICE;
        return new FileAttributes(
                type,
                statx.mode() & PosixJudge.PERMISSION_BITS,
                statx.linkCount(),
                statx.uid(),
                statx.gid(),
                statx.sizeBytes(),
                statx.usedBytes(),
                isDevice ? major(statx.device()) : 0,
                isDevice ? minor(statx.device()) : 0,
                fileSystem,
                fileId(statx.inode(), statx.snapshot()),
                new Timestamp(statx.accessSeconds(), statx.accessNanos()),
                new Timestamp(statx.modifySeconds(), statx.modifyNanos()),
                new Timestamp(statx.changeSeconds(), statx.changeNanos()),
                new Timestamp(statx.birthSeconds(), statx.birthNanos()),
                statx.version());
    }

    /**
     * A number for a file in a snapshot that the file itself does not have. Inode numbers grow from the low bits, and
     * so do the numbers of snapshots, which are turned round.
     */
    static long fileId(long inode, long snapshot) {
        return snapshot == CephStatx.NO_SNAPSHOT ? inode : inode ^ Long.reverse(snapshot);
    }

    /** The type of these S_IFMT bits. */
    static FileType type(int bits) {
        return switch (bits) {
            case S_IFIFO -> FileType.FIFO;
            case S_IFCHR -> FileType.CHARACTER_DEVICE;
            case S_IFDIR -> FileType.DIRECTORY;
            case S_IFBLK -> FileType.BLOCK_DEVICE;
            case S_IFLNK -> FileType.SYMLINK;
            case S_IFSOCK -> FileType.SOCKET;
            default -> FileType.REGULAR;
        };
    }

    /** The S_IFMT bits of a type. */
    static int bits(FileType type) {
        return switch (type) {
            case FIFO -> S_IFIFO;
            case CHARACTER_DEVICE -> S_IFCHR;
            case DIRECTORY -> S_IFDIR;
            case BLOCK_DEVICE -> S_IFBLK;
            case REGULAR -> S_IFREG;
            case SYMLINK -> S_IFLNK;
            case SOCKET -> S_IFSOCK;
        };
    }

    /** The number of a device as Linux and Ceph keep it in 32 bits: 12 of the major number, 20 of the minor one. */
    static long device(int major, int minor) {
        return (minor & 0xffL) | (major & 0xfffL) << 8 | (minor & 0xfff00L) << 12;
    }

    static int major(long device) {
        return (int) (device >>> 8) & 0xfff;
    }

    static int minor(long device) {
        return (int) ((device & 0xff) | (device >>> 12 & 0xfff00));
    }
}
