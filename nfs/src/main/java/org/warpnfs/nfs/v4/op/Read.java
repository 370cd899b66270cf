package org.warpnfs.nfs.v4.op;

import java.nio.ByteBuffer;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Stateid;
import org.warpnfs.nfs.v4.xdr.XdrReader;
import org.warpnfs.nfs.v4.xdr.XdrWriter;
import org.warpnfs.payload.Payload;

/**
 * READ (RFC 8881 section 18.22); the data are DDP-eligible.
 *
 * <h2>Buffers</h2>
 *
 * The payload passes to the result when it has been filled; until then it is given back here.
 */
final class Read implements Operation {
    @Override
    public void execute(CallContext call, XdrReader in, XdrWriter out) throws Nfs4Exception, FsException {
        Stateid stateid = call.resolve(in.stateid());
        long offset = in.int64();
        int count = (int) Math.min(in.uint32(), call.services().facts().maxReadBytes());
        try (FileAccess access = FileAccess.toRead(call, call.current(), stateid)) {
            read(call, access.file(), offset, count, out);
        }
    }

    private static void read(CallContext call, OpenFile file, long offset, int count, XdrWriter out)
            throws Nfs4Exception, FsException {
        if (count == 0 || offset < 0) {
            // Beyond 2^63 there is nothing: the end of the file, not an error, or Linux asks for ever.
            out.bool(offset < 0 || offset >= file.attributes().sizeBytes());
            out.int32(0);
            return;
        }
        Payload payload = call.services().pool().tryAcquire(count);
        if (payload == null) {
            throw Nfs4Exception.of(Nfs4Status.DELAY);
        }
        boolean passed = false;
        try {
            ByteBuffer buffer = payload.buffer();
            int limit = (int) Math.min(count, Long.MAX_VALUE - offset);
            int start = buffer.position();
            buffer.limit(start + limit);
            int got = file.read(buffer, offset);
            buffer.position(start).limit(start + got);
            boolean end = got < limit || offset + got >= file.attributes().sizeBytes();
            out.bool(end || limit < count);
            if (got == 0) {
                out.int32(0);
            } else {
                out.payload(payload);
                passed = true;
            }
        } finally {
            if (!passed) {
                payload.release();
            }
        }
    }
}
