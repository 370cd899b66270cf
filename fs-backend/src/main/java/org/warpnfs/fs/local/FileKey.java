package org.warpnfs.fs.local;

import java.nio.ByteBuffer;

/**
 * What tells a file from every other there was or will be, without being able to open it by this.
 *
 * @param space 0 on the device of the tree's root; f_fsid (statfs(2)) on another, as snapshots and subvolumes of btrfs
 *     have below it: they share inode numbers and births with what they were made from
 * @param inode a number that is used again
 * @param birthSeconds 0 where the file system keeps no birth
 * @param generation differs between those that had the inode number within one tick of the clock; 0 where the file
 *     system has no handles of its own
 */
record FileKey(long space, long inode, long birthSeconds, int birthNanos, int generation) {
    static final int LENGTH_BYTES = 3 * Long.BYTES + 2 * Integer.BYTES;

    static FileKey read(ByteBuffer in) {
        return new FileKey(in.getLong(), in.getLong(), in.getLong(), in.getInt(), in.getInt());
    }

    void write(ByteBuffer out) {
        out.putLong(space)
                .putLong(inode)
                .putLong(birthSeconds)
                .putInt(birthNanos)
                .putInt(generation);
    }
}
