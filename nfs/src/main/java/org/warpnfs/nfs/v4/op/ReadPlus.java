package org.warpnfs.nfs.v4.op;

import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.io.FileData;
import org.warpnfs.nfs.io.SparseData;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Stateid;
import org.warpnfs.payload.Payload;

/**
 * READ_PLUS (RFC 7862, section 15.10): data and holes of a file.
 *
 * <pre>
 *   bool          rpr_eof
 *   read_plus_content rpr_contents&lt;&gt;:  0 DATA { offset4, opaque&lt;&gt; }
 *                                      1 HOLE { offset4, length4 }
 * </pre>
 *
 * Its data are not DDP-eligible (RFC 8267 names READ alone). If the transport would have to copy them, the reply has
 * fewer than were asked for. A Linux client does not use READ_PLUS over RDMA.
 *
 * <h2>Buffers</h2>
 *
 * One payload for all data, which was acquired before the operation began, as in READ.
 */
public final class ReadPlus implements Operation {
    /** Length of a result before its data: eof, number of segments; of the first: kind, offset and length. */
    public static final int HEAD_BYTES = 24;

    private static final int CONTENT_DATA = 0;
    private static final int CONTENT_HOLE = 1;

    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception, FsException {
        Stateid stateid = call.files().resolve(in.stateid());
        long offset = in.int64();
        call.requireRoom(out, HEAD_BYTES);
        int most = call.maxReadBytes(true, call.roomBytes(out) - HEAD_BYTES);
        int memoryBytes = FileData.memoryBytes(offset, in.uint32(), most);
        try (FileAccess access = FileAccess.toRead(call, call.files().current(), stateid)) {
            SparseData data = SparseData.read(access.file(), offset, call.takeMemory(memoryBytes));
            encode(call, data, out);
        }
    }

    /** Encodes as many segments as the reply has room for. A client asks for the rest again. */
    private static void encode(CallContext call, SparseData data, CompoundWriter out) {
        int start = out.position();
        out.bool(data.isEnd());
        out.int32(data.segments().size());
        int encoded = 0;
        boolean fits = true;
        for (SparseData.Segment segment : data.segments()) {
            int before = out.position();
            encode(segment, out);
            fits = fits && call.roomBytes(out) >= 0;
            if (fits) {
                encoded++;
            } else {
                out.truncate(before);
            }
        }
        if (!fits) {
            out.patch(start, 0);
            out.patch(start + Integer.BYTES, encoded);
        }
    }

    private static void encode(SparseData.Segment segment, CompoundWriter out) {
        switch (segment) {
            case SparseData.Segment.Data(long offset, Payload payload) -> {
                out.int32(CONTENT_DATA);
                out.int64(offset);
                out.inlinePayload(payload);
            }
            case SparseData.Segment.Hole(long offset, long lengthBytes) -> {
                out.int32(CONTENT_HOLE);
                out.int64(offset);
                out.int64(lengthBytes);
            }
        }
    }
}
