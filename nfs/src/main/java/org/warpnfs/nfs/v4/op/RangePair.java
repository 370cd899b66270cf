package org.warpnfs.nfs.v4.op;

import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * The first arguments of COPY and CLONE (RFC 7862, sections 15.2 and 15.13). The source is the saved filehandle, the
 * target the current one.
 *
 * <pre>
 *   stateid4 src_stateid, dst_stateid
 *   offset4  src_offset, dst_offset
 *   length4  count                    0 to the end of the source
 * </pre>
 */
record RangePair(Stateid sourceStateid, Stateid targetStateid, long sourceOffset, long targetOffset, long countBytes) {

    static RangePair decode(CallContext call, CompoundReader in) throws Nfs4Exception {
        return new RangePair(
                call.files().resolveSaved(in.stateid()),
                call.files().resolve(in.stateid()),
                in.int64(),
                in.int64(),
                in.int64());
    }

    /** An operation on two files. */
    interface Work {
        /**
         * Runs while both files are open.
         *
         * @param lengthBytes of the range, as far as the source has it; within the limits of either file
         */
        void run(OpenFile from, OpenFile to, long lengthBytes) throws Nfs4Exception, FsException;
    }

    /**
     * Opens both files while {@code work} runs.
     *
     * @throws Nfs4Exception XDEV if the files are of two exports, INVAL or FBIG for a range that a file cannot have
     */
    void between(CallContext call, Work work) throws Nfs4Exception, FsException {
        Location source = call.files().savedBesideCurrent();
        Location target = call.files().current();
        Lock.requireRegular(source);
        Lock.requireRegular(target);
        try (FileAccess from = FileAccess.toRead(call, source, sourceStateid);
                FileAccess to = FileAccess.toWrite(call, target, targetStateid)) {
            long lengthBytes = FileRanges.sourceLength(
                    sourceOffset, countBytes, from.file().sizeBytes());
            FileRanges.requireWithinFile(target, targetOffset, lengthBytes);
            work.run(from.file(), to.file(), lengthBytes);
        }
    }
}
