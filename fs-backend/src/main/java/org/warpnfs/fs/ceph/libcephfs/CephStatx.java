package org.warpnfs.fs.ceph.libcephfs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;

/**
 * What Ceph tells of a file. struct ceph_statx (cephfs/ceph_ll_client.h), in the host's byte order:
 *
 * <pre>
 * offset  length  field
 *   0       4     stx_mask          what was filled in
 *   4       4     stx_blksize
 *   8       4     stx_nlink
 *  12       4     stx_uid
 *  16       4     stx_gid
 *  20       2     stx_mode          (2 bytes of padding follow)
 *  24       8     stx_ino
 *  32       8     stx_size
 *  40       8     stx_blocks        of 512 bytes
 *  48       8     stx_dev           the snapshot that the file is in
 *  56       8     stx_rdev
 *  64      16     stx_atime         8 seconds, 8 nanoseconds
 *  80      16     stx_ctime
 *  96      16     stx_mtime
 * 112      16     stx_btime
 * 128       8     stx_version       counts the changes
 * </pre>
 *
 * @param mode st_mode: type and permissions
 * @param snapshot number of the snapshot, {@link #NO_SNAPSHOT} or {@link #SNAPSHOT_DIRECTORY}
 * @param device number of a device file, as makedev(3) makes it
 * @param version differs after each change of contents, of attributes or of a directory's names
 */
public record CephStatx(
        int mode,
        int linkCount,
        long uid,
        long gid,
        long inode,
        long snapshot,
        long device,
        long sizeBytes,
        long usedBytes,
        long accessSeconds,
        int accessNanos,
        long changeSeconds,
        int changeNanos,
        long modifySeconds,
        int modifyNanos,
        long birthSeconds,
        int birthNanos,
        long version) {
    /** S_IFMT. */
    public static final int TYPE_MASK = 0170000;
    /** CEPH_NOSNAP: the file as it is now. */
    public static final long NO_SNAPSHOT = -2;
    /** CEPH_SNAPDIR: the directory {@code .snap}. */
    public static final long SNAPSHOT_DIRECTORY = -1;

    /** CEPH_STATX_MODE and the others: what a call is asked for. Type, inode, snapshot and device are always there. */
    public static final int WANT_MODE = 0x1;

    public static final int WANT_NLINK = 0x2;
    public static final int WANT_UID = 0x4;
    public static final int WANT_GID = 0x8;
    public static final int WANT_ATIME = 0x20;
    public static final int WANT_MTIME = 0x40;
    public static final int WANT_CTIME = 0x80;
    public static final int WANT_INO = 0x100;
    public static final int WANT_SIZE = 0x200;
    public static final int WANT_BLOCKS = 0x400;
    public static final int WANT_BTIME = 0x800;
    public static final int WANT_VERSION = 0x1000;

    /** CEPH_STATX_ALL_STATS. */
    public static final int EVERYTHING = 0x1fff;
    /** Mode, link count, owner, group and inode: what others seldom change, so that a client of Ceph has it at hand. */
    public static final int IDENTITY = WANT_MODE | WANT_NLINK | WANT_UID | WANT_GID | WANT_INO;

    static final int LENGTH_BYTES = 136;

    static final int NLINK = 8;
    static final int UID = 12;
    static final int GID = 16;
    static final int MODE = 20;
    static final int INO = 24;
    static final int SIZE = 32;
    static final int BLOCKS = 40;
    static final int DEV = 48;
    static final int RDEV = 56;
    static final int ATIME = 64;
    static final int CTIME = 80;
    static final int MTIME = 96;
    static final int BTIME = 112;
    static final int NANOS = 8;
    static final int VERSION = 128;

    private static final long BYTES_PER_BLOCK = 512;
    private static final long U32 = 0xffff_ffffL;

    static CephStatx parse(MemorySegment from) {
        return new CephStatx(
                from.get(JAVA_SHORT, MODE) & 0xffff,
                from.get(JAVA_INT, NLINK),
                from.get(JAVA_INT, UID) & U32,
                from.get(JAVA_INT, GID) & U32,
                from.get(JAVA_LONG, INO),
                from.get(JAVA_LONG, DEV),
                from.get(JAVA_LONG, RDEV),
                from.get(JAVA_LONG, SIZE),
                from.get(JAVA_LONG, BLOCKS) * BYTES_PER_BLOCK,
                from.get(JAVA_LONG, ATIME),
                (int) from.get(JAVA_LONG, ATIME + NANOS),
                from.get(JAVA_LONG, CTIME),
                (int) from.get(JAVA_LONG, CTIME + NANOS),
                from.get(JAVA_LONG, MTIME),
                (int) from.get(JAVA_LONG, MTIME + NANOS),
                from.get(JAVA_LONG, BTIME),
                (int) from.get(JAVA_LONG, BTIME + NANOS),
                from.get(JAVA_LONG, VERSION));
    }

    /** S_IFMT bits. */
    public int type() {
        return mode & TYPE_MASK;
    }
}
