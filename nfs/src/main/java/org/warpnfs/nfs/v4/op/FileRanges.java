package org.warpnfs.nfs.v4.op;

import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/** Checks ranges of files in the arguments of NFSv4.2 operations. */
final class FileRanges {
    private FileRanges() {}

    /** Throws FBIG for a range that no file can have. The values are unsigned, as they came. */
    static void requireWithinFile(Location file, long offset, long length) throws Nfs4Exception {
        long longest = file.fileSystem().limits().maxFileSizeBytes();
        if (offset < 0 || length < 0 || offset > longest - length) {
            throw Nfs4Exception.of(Nfs4Status.FBIG);
        }
    }

    /**
     * The length of the source range of a COPY or CLONE. A count of 0 means to the end of the source.
     *
     * @throws Nfs4Exception INVAL if the range is not within the source (RFC 7862, sections 15.2.3 and 15.13.3)
     */
    static long sourceLength(long offset, long count, long sizeBytes) throws Nfs4Exception {
        if (offset < 0 || count < 0 || offset > sizeBytes || count > sizeBytes - offset) {
            throw Nfs4Exception.of(Nfs4Status.INVAL);
        }
        return count == 0 ? sizeBytes - offset : count;
    }
}
