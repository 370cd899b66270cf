package org.warpnfs.example.zip;

import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.Timestamp;

/**
 * What the central directory says of one file. All of it is a claim: nothing is allocated for it, and contents are
 * checked when they are read.
 *
 * @param name as it is written, one character for each byte
 * @param type regular file, directory or symbolic link
 * @param permissions the low nine bits of st_mode
 * @param headerOffset where the file's local header is
 */
record ZipEntry(
        String name,
        FileType type,
        int permissions,
        Timestamp modifyTime,
        int method,
        boolean encrypted,
        long crc,
        long compressedBytes,
        long sizeBytes,
        long headerOffset) {
    static final int STORED = 0;
    static final int DEFLATED = 8;

    /** Deflate makes at most this many bytes out of one. */
    private static final long MOST_INFLATION = 1032;

    /** Whether the sizes can be true in a file of that length. */
    boolean isCredible(long fileBytes) {
        if (compressedBytes < 0 || sizeBytes < 0 || compressedBytes > fileBytes) {
            return false;
        }
        return method == STORED ? sizeBytes == compressedBytes : sizeBytes <= (compressedBytes + 1) * MOST_INFLATION;
    }
}
