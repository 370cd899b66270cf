package org.warpnfs.fs.local.libc;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;

/**
 * What statx(2) tells. struct statx, in the host's byte order:
 *
 * <pre>
 * offset  length  field
 *   0       4     stx_mask          what was filled in
 *   4       4     stx_blksize
 *   8       8     stx_attributes
 *  16       4     stx_nlink
 *  20       4     stx_uid
 *  24       4     stx_gid
 *  28       2     stx_mode          (2 bytes of padding follow)
 *  32       8     stx_ino
 *  40       8     stx_size
 *  48       8     stx_blocks        of 512 bytes
 *  56       8     stx_attributes_mask
 *  64      16     stx_atime         8 seconds, 4 nanoseconds, 4 padding
 *  80      16     stx_btime
 *  96      16     stx_ctime
 * 112      16     stx_mtime
 * 128       4     stx_rdev_major
 * 132       4     stx_rdev_minor
 * 136       4     stx_dev_major
 * 140       4     stx_dev_minor
 * 144       8     stx_mnt_id
 * 152     104     more, and spare
 * </pre>
 *
 * @param mode st_mode: type and permissions
 * @param hasBirthTime false where the file system keeps none; it is then 0
 * @param mountId of the mount it was reached through; 0 where the kernel does not say
 */
public record Statx(
        int mode,
        int linkCount,
        long uid,
        long gid,
        long inode,
        long sizeBytes,
        long usedBytes,
        long accessSeconds,
        int accessNanos,
        long birthSeconds,
        int birthNanos,
        boolean hasBirthTime,
        long changeSeconds,
        int changeNanos,
        long modifySeconds,
        int modifyNanos,
        int deviceMajor,
        int deviceMinor,
        long fileSystemDevice,
        long mountId) {
    /** S_IFMT. */
    public static final int TYPE_MASK = 0170000;

    static final int LENGTH_BYTES = 256;
    public static final int STATX_MODE = 0x2;
    public static final int STATX_NLINK = 0x4;
    public static final int STATX_UID = 0x8;
    public static final int STATX_GID = 0x10;
    public static final int STATX_ATIME = 0x20;
    public static final int STATX_MTIME = 0x40;
    public static final int STATX_CTIME = 0x80;
    public static final int STATX_SIZE = 0x200;
    public static final int STATX_BLOCKS = 0x400;
    public static final int STATX_BTIME = 0x800;

    static final int STATX_TYPE = 0x1;
    static final int STATX_INO = 0x100;
    static final int STATX_MNT_ID = 0x1000;

    /** All that {@link Statx} has. */
    public static final int EVERYTHING = 0x1fff;

    /** What is read in any case: type, inode and mount. */
    static final int ALWAYS = STATX_TYPE | STATX_INO | STATX_MNT_ID;

    private static final long BYTES_PER_BLOCK = 512;
    private static final long U32 = 0xffff_ffffL;
    private static final int MASK = 0;
    private static final int NLINK = 16;
    private static final int UID = 20;
    private static final int GID = 24;
    private static final int MODE = 28;
    private static final int INO = 32;
    private static final int SIZE = 40;
    private static final int BLOCKS = 48;
    private static final int ATIME = 64;
    private static final int BTIME = 80;
    private static final int CTIME = 96;
    private static final int MTIME = 112;
    private static final int NANOS = 8;
    private static final int RDEV_MAJOR = 128;
    private static final int RDEV_MINOR = 132;
    private static final int DEV_MAJOR = 136;
    private static final int DEV_MINOR = 140;
    private static final int MNT_ID = 144;

    static Statx parse(MemorySegment from) {
        int mask = from.get(JAVA_INT, MASK);
        return new Statx(
                from.get(JAVA_SHORT, MODE) & 0xffff,
                from.get(JAVA_INT, NLINK),
                from.get(JAVA_INT, UID) & U32,
                from.get(JAVA_INT, GID) & U32,
                from.get(JAVA_LONG, INO),
                from.get(JAVA_LONG, SIZE),
                from.get(JAVA_LONG, BLOCKS) * BYTES_PER_BLOCK,
                from.get(JAVA_LONG, ATIME),
                from.get(JAVA_INT, ATIME + NANOS),
                from.get(JAVA_LONG, BTIME),
                from.get(JAVA_INT, BTIME + NANOS),
                (mask & STATX_BTIME) != 0,
                from.get(JAVA_LONG, CTIME),
                from.get(JAVA_INT, CTIME + NANOS),
                from.get(JAVA_LONG, MTIME),
                from.get(JAVA_INT, MTIME + NANOS),
                from.get(JAVA_INT, RDEV_MAJOR),
                from.get(JAVA_INT, RDEV_MINOR),
                (from.get(JAVA_INT, DEV_MAJOR) & U32) << 32 | (from.get(JAVA_INT, DEV_MINOR) & U32),
                (mask & STATX_MNT_ID) != 0 ? from.get(JAVA_LONG, MNT_ID) : 0);
    }

    /** True if both are the same file, provided that both are open, so that neither inode number has been reused. */
    public boolean isSameFile(Statx other) {
        return inode == other.inode && fileSystemDevice == other.fileSystemDevice;
    }

    /** The same file with another type, owner and device number. */
    public Statx withOwner(int newMode, long newUid, long newGid, int newMajor, int newMinor) {
        return new Statx(
                newMode,
                linkCount,
                newUid,
                newGid,
                inode,
                sizeBytes,
                usedBytes,
                accessSeconds,
                accessNanos,
                birthSeconds,
                birthNanos,
                hasBirthTime,
                changeSeconds,
                changeNanos,
                modifySeconds,
                modifyNanos,
                newMajor,
                newMinor,
                fileSystemDevice,
                mountId);
    }

    /** S_IFMT bits. */
    public int type() {
        return mode & TYPE_MASK;
    }
}
