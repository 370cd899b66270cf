package org.warpnfs.fs.local;

import java.nio.ByteBuffer;
import org.warpnfs.keys.KeyedHash;

/**
 * Distinguishes a file from every other file that ever was or will be. A file cannot be opened by its key.
 *
 * @param space 0 on the device of the tree's root, else f_fsid (statfs(2)): snapshots and subvolumes of btrfs below the
 *     root have one of their own, and share inode numbers and births with their origin
 * @param inode the inode number, which is reused after the file is gone
 * @param birthSeconds time of birth; 0 where the file system keeps none
 * @param generation differs between files that had the inode number within one tick of the clock; 0 where the file
 *     system has no handles of its own
 */
record FileKey(long space, long inode, long birthSeconds, int birthNanos, int generation) {
    static final int LENGTH_BYTES = 3 * Long.BYTES + 2 * Integer.BYTES;

    @Override
    public int hashCode() {
        return KeyedHash.of(space ^ (long) generation << 32, inode ^ birthSeconds << 20 ^ birthNanos);
    }

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
