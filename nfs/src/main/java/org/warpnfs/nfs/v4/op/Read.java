package org.warpnfs.nfs.v4.op;

import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.io.FileData;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * READ (RFC 8881, section 18.22); the data are DDP-eligible.
 *
 * <h2>Buffers</h2>
 *
 * The memory was looked for before the operation began. The payload passes to the result when it has been filled; until
 * then it is given back here.
 */
final class Read implements Operation {
    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception, FsException {
        Stateid stateid = call.files().resolve(in.stateid());
        long offset = in.int64();
        int memoryBytes = FileData.memoryBytes(offset, in.uint32(), call.maxReadBytes(false));
        try (FileAccess access = FileAccess.toRead(call, call.files().current(), stateid)) {
            FileData data = FileData.read(access.file(), offset, call.takeMemory(memoryBytes));
            // Beyond 2^63 there is nothing: the end of the file, not an error, or Linux asks for ever.
            out.bool(data.isEnd());
            out.payload(data.payload());
        }
    }
}
