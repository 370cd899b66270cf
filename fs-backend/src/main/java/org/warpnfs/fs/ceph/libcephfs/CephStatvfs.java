package org.warpnfs.fs.ceph.libcephfs;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/**
 * struct statvfs of Linux on 64 bits, as far as Ceph fills it in:
 *
 * <pre>
 * offset  length  field
 *   0       8     f_bsize
 *   8       8     f_frsize      the unit of the next three
 *  16       8     f_blocks
 *  24       8     f_bfree
 *  32       8     f_bavail
 *  40       8     f_files       number of files
 *  48       8     f_ffree       not known
 * </pre>
 *
 * @param files number of files and directories below the mounted directory or in the file system
 */
public record CephStatvfs(long totalBytes, long freeBytes, long availableBytes, long files) {
    private static final int FRSIZE = 8;
    private static final int BLOCKS = 16;
    private static final int BFREE = 24;
    private static final int BAVAIL = 32;
    private static final int FILES = 40;

    static CephStatvfs parse(MemorySegment from) {
        long unitBytes = from.get(JAVA_LONG, FRSIZE);
        return new CephStatvfs(
                from.get(JAVA_LONG, BLOCKS) * unitBytes,
                from.get(JAVA_LONG, BFREE) * unitBytes,
                from.get(JAVA_LONG, BAVAIL) * unitBytes,
                from.get(JAVA_LONG, FILES));
    }
}
