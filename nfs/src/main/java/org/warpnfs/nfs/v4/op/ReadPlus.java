package org.warpnfs.nfs.v4.op;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Stateid;
import org.warpnfs.nfs.v4.xdr.XdrReader;
import org.warpnfs.nfs.v4.xdr.XdrWriter;

/** READ_PLUS (RFC 7862 section 15.10): data or a hole, one of them in each answer, or two where a hole ends in reach. Its data are not DDP-eligible. */
final class ReadPlus implements Operation {
    private static final int CONTENT_DATA = 0;
    private static final int CONTENT_HOLE = 1;

    @Override
    public void execute(CallContext call, XdrReader in, XdrWriter out) throws Nfs4Exception, FsException {
        Stateid stateid = call.resolve(in.stateid());
        long offset = in.int64();
        int count = (int) Math.min(in.uint32(), call.services().facts().maxReadBytes());
        try (FileAccess access = FileAccess.toRead(call, call.current(), stateid)) {
            OpenFile file = access.file();
            long size = file.attributes().sizeBytes();
            if (offset < 0 || offset >= size || count == 0) {
                out.bool(offset < 0 || offset >= size);
                out.int32(0);
                return;
            }
            long end = count > size - offset ? size : offset + count;
            long data = Math.min(nextData(file, offset, size), end);
            if (data > offset) {
                hole(offset, data - offset, data >= size, out);
            } else {
                data(file, offset, (int) (Math.min(nextHole(file, offset, end), end) - offset), size, out);
            }
        }
    }

    private static void hole(long offset, long length, boolean end, XdrWriter out) {
        out.bool(end);
        out.int32(1);
        out.int32(CONTENT_HOLE);
        out.int64(offset);
        out.int64(length);
    }

    private static void data(OpenFile file, long offset, int length, long size, XdrWriter out) throws FsException {
        ByteBuffer buffer = ByteBuffer.allocate(length);
        int got = file.read(buffer, offset);
        out.bool(got < length || offset + got >= size);
        out.int32(1);
        out.int32(CONTENT_DATA);
        out.int64(offset);
        out.opaque(Arrays.copyOf(buffer.array(), got));
    }

    private static long nextData(OpenFile file, long offset, long size) throws FsException {
        try {
            return file.seekData(offset);
        } catch (FsException e) {
            return orElse(e, size, offset);
        }
    }

    private static long nextHole(OpenFile file, long offset, long end) throws FsException {
        try {
            return file.seekHole(offset);
        } catch (FsException e) {
            return orElse(e, end, end);
        }
    }

    /** A backend that knows no holes has data everywhere. */
    private static long orElse(FsException e, long none, long unknown) throws FsException {
        return switch (e.error()) {
            case NO_DEVICE -> none;
            case NOT_SUPPORTED -> unknown;
            default -> throw e;
        };
    }
}
