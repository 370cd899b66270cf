package org.warpnfs.nfs.v4.op;

import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Stability;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Stateid;
import org.warpnfs.nfs.v4.xdr.XdrReader;
import org.warpnfs.nfs.v4.xdr.XdrWriter;

/**
 * COPY (RFC 7862 section 15.2) within one export, answered when it is done. What takes long is cut short: the client asks for the rest.
 *
 * <pre>
 *   stateid4 ca_src_stateid, ca_dst_stateid
 *   offset4  ca_src_offset, ca_dst_offset
 *   length4  ca_count            0 to the end of the source
 *   bool     ca_consecutive, ca_synchronous
 *   netloc4  ca_source_server&lt;&gt;  another server: not here
 * </pre>
 */
final class Copy implements ChangingOperation {
    private static final long MOST_BYTES = 64L << 20;

    @Override
    public void execute(CallContext call, XdrReader in, XdrWriter out) throws Nfs4Exception, FsException {
        Stateid sourceStateid = call.resolveSaved(in.stateid());
        Stateid targetStateid = call.resolve(in.stateid());
        long sourceOffset = in.int64();
        long targetOffset = in.int64();
        long count = in.int64();
        in.bool();
        in.bool();
        if (in.count(Integer.MAX_VALUE) > 0) {
            throw Nfs4Exception.of(Nfs4Status.NOTSUPP);
        }
        Location source = call.saved();
        Location target = call.current();
        Lock.requireRegular(source);
        Lock.requireRegular(target);
        if (!source.export().equals(target.export())) {
            throw Nfs4Exception.of(Nfs4Status.XDEV);
        }
        try (FileAccess from = FileAccess.toRead(call, source, sourceStateid);
                FileAccess to = FileAccess.toWrite(call, target, targetStateid)) {
            long length = FileRanges.sourceLength(
                    sourceOffset, count, from.file().attributes().sizeBytes());
            FileRanges.requireWithinFile(target, targetOffset, length);
            requireApart(source.equals(target), sourceOffset, targetOffset, length);
            long verifier = CallContext.fileSystem(target).writeVerifier();
            long copied = copy(from.file(), sourceOffset, to.file(), targetOffset, Math.min(length, MOST_BYTES));
            // wr_callback_id<0>, wr_count, wr_committed, wr_writeverf; cr_consecutive, cr_synchronous
            out.int32(0);
            out.int64(copied);
            StableHow.encode(Stability.UNSTABLE, out);
            out.int64(verifier);
            out.bool(true);
            out.bool(true);
        }
    }

    private static void requireApart(boolean sameFile, long sourceOffset, long targetOffset, long length)
            throws Nfs4Exception {
        if (sameFile && Math.abs(sourceOffset - targetOffset) < length) {
            throw Nfs4Exception.of(Nfs4Status.INVAL);
        }
    }

    private static long copy(OpenFile from, long sourceOffset, OpenFile to, long targetOffset, long length)
            throws FsException {
        long copied = 0;
        while (copied < length) {
            long step;
            try {
                step = from.copyTo(sourceOffset + copied, to, targetOffset + copied, length - copied);
            } catch (FsException e) {
                if (copied > 0) {
                    break;
                }
                throw e;
            }
            if (step == 0) {
                break;
            }
            copied += step;
        }
        return copied;
    }
}
