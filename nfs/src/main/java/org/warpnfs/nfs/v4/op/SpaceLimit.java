package org.warpnfs.nfs.v4.op;

import java.util.Set;
import org.warpnfs.fs.spi.Capability;
import org.warpnfs.fs.spi.FileAttribute;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Location;

/**
 * The size up to which a client with a write delegation may keep data after it closed the file (nfs_space_limit4, RFC
 * 8881, section 18.16.2). Nothing is reserved for it: it leaves room for many such files, and a client that writes more
 * sends its data when it closes the file.
 */
final class SpaceLimit {
    /** One file may take one part in so many of the free space. */
    private static final int PART = 256;

    private static final Set<FileAttribute> SIZE = FileAttribute.setOf(FileAttribute.SIZE);

    private static final long MOST_BYTES = 256L << 20;

    private SpaceLimit() {}

    /** The limit in bytes; 0, so that the client keeps nothing, if the backend cannot say how much is free. */
    static long of(Location file) {
        FileSystem fileSystem = file.fileSystem();
        if (!fileSystem.limits().has(Capability.SPACE)) {
            return 0;
        }
        try {
            long more = Math.min(fileSystem.statistics().availableBytes() / PART, MOST_BYTES);
            return file.attributes(SIZE).sizeBytes() + more;
        } catch (FsException e) {
            // The file is open, and has to be answered as open.
            return 0;
        }
    }
}
