package org.warpnfs.fs.ceph;

import java.nio.ByteBuffer;
import org.warpnfs.fs.ceph.libcephfs.CephStatx;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;

/**
 * Handles of files, which are the same at every gateway. Ceph gives no inode number to a second file.
 *
 * <pre>
 * bytes  field
 *  0- 3  number of the file system in its cluster
 *  4-11  inode
 * 12-19  snapshot, -2 for the file as it is now, -1 for the directory .snap
 * </pre>
 */
final class Handles {
    private static final int LENGTH_BYTES = 20;

    private Handles() {}

    /** What a handle names. */
    record Named(int fileSystem, long inode, long snapshot) {
        boolean isSnapshot() {
            return snapshot != CephStatx.NO_SNAPSHOT;
        }
    }

    static FileHandle of(long fileSystem, long inode, long snapshot) {
        return FileHandle.of(ByteBuffer.allocate(LENGTH_BYTES)
                .putInt((int) fileSystem)
                .putLong(inode)
                .putLong(snapshot)
                .array());
    }

    /**
     * Decodes a handle.
     *
     * @throws FsException BAD_HANDLE if it has another length
     */
    static Named parse(FileHandle handle) throws FsException {
        if (handle.lengthBytes() != LENGTH_BYTES) {
            throw FsException.of(FsError.BAD_HANDLE);
        }
        ByteBuffer bytes = ByteBuffer.wrap(handle.toBytes());
        return new Named(bytes.getInt(), bytes.getLong(), bytes.getLong());
    }
}
