package org.warpnfs.fs.spi;

/**
 * Space and number of files, as statvfs reports them, but in bytes instead of blocks. "Available" is what ordinary
 * users may take.
 */
public record FsStatistics(
        long totalBytes, long freeBytes, long availableBytes, long totalFiles, long freeFiles, long availableFiles) {
    /** What a file system reports that does not know. */
    public static final FsStatistics UNKNOWN = new FsStatistics(0, 0, 0, 0, 0, 0);
}
