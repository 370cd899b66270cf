package org.warpnfs.nfs.v4.op;

import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Stability;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/**
 * COPY (RFC 7862, section 15.2) within one export. It is answered when it is done. A copy that would take long stops
 * early, and the client asks for the rest. After the arguments of {@link RangePair} it has:
 *
 * <pre>
 *   bool     ca_consecutive, ca_synchronous
 *   netloc4  ca_source_server&lt;&gt;  for a copy from another server, which is not supported
 * </pre>
 */
final class Copy implements ChangingOperation {
    private static final long MOST_BYTES = 64L << 20;

    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception, FsException {
        RangePair ranges = RangePair.decode(call, in);
        in.bool();
        in.bool();
        if (in.count(Integer.MAX_VALUE) > 0) {
            throw Nfs4Exception.of(Nfs4Status.NOTSUPP);
        }
        ranges.between(call, (from, to, length) -> {
            Location target = call.files().current();
            requireApart(call.files().savedBesideCurrent().equals(target), ranges, length);
            long verifier = target.fileSystem().writeVerifier();
            long copied = copy(from, ranges.sourceOffset(), to, ranges.targetOffset(), Math.min(length, MOST_BYTES));
            // wr_callback_id<0>, wr_count, wr_committed, wr_writeverf; cr_consecutive, cr_synchronous
            out.int32(0);
            out.int64(copied);
            StableHow.encode(Stability.UNSTABLE, out);
            out.int64(verifier);
            out.bool(true);
            out.bool(true);
        });
    }

    private static void requireApart(boolean sameFile, RangePair ranges, long lengthBytes) throws Nfs4Exception {
        if (sameFile && Math.abs(ranges.sourceOffset() - ranges.targetOffset()) < lengthBytes) {
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
