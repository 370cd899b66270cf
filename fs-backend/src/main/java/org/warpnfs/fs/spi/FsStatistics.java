package org.warpnfs.fs.spi;

/** Space and files, as statvfs tells them; bytes, not blocks. Available is what ordinary users may take. */
public record FsStatistics(
        long totalBytes, long freeBytes, long availableBytes, long totalFiles, long freeFiles, long availableFiles) {}
