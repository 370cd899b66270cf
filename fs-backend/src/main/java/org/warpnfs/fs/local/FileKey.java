package org.warpnfs.fs.local;

import java.nio.ByteBuffer;
import org.warpnfs.fs.local.libc.Statx;

/**
 * What tells a file from every other there was or will be, without the kernel's help: inode numbers are used again, but not
 * with the same time of birth. Where a file system keeps no time of birth, the reuse of a number goes unnoticed.
 */
record FileKey(long inode, long birthSeconds, int birthNanos) {
    static final int LENGTH_BYTES = Long.BYTES + Long.BYTES + Integer.BYTES;

    static FileKey of(Statx statx) {
        return new FileKey(statx.inode(), statx.birthSeconds(), statx.birthNanos());
    }

    static FileKey read(ByteBuffer in) {
        return new FileKey(in.getLong(), in.getLong(), in.getInt());
    }

    void write(ByteBuffer out) {
        out.putLong(inode).putLong(birthSeconds).putInt(birthNanos);
    }
}
