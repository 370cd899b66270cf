package org.warpnfs.nfs.v4.op;

import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.io.FileData;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * READ (RFC 8881, section 18.22). The data are DDP-eligible.
 *
 * <h2>Buffers</h2>
 *
 * The memory was acquired before the operation began. Once filled, the payload belongs to the result. If the operation
 * fails before that, it is released here.
 */
final class Read implements Operation {
    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception, FsException {
        Stateid stateid = call.files().resolve(in.stateid());
        long offset = in.int64();
        int memoryBytes = FileData.memoryBytes(offset, in.uint32(), call.maxReadBytes(false));
        try (FileAccess access = FileAccess.toRead(call, call.files().current(), stateid)) {
            FileData data = FileData.read(
                    access.file(),
                    offset,
                    call.takeMemory(memoryBytes),
                    out.holdsPayloads() ? 0 : call.maxRangeBytes());
            // An offset beyond 2^63 is beyond the end and not an error; otherwise Linux would repeat the request for
            // ever.
            out.bool(data.isEnd());
            out.payload(data.payload());
        }
    }
}
