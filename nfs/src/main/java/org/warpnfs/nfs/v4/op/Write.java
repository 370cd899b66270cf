package org.warpnfs.nfs.v4.op;

import java.nio.ByteBuffer;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.Stability;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * WRITE (RFC 8881, section 18.32). The data are DDP-eligible, and the transport lends them until the call is answered.
 */
final class Write implements ChangingOperation {
    @Override
    public boolean isRepeatable() {
        return true;
    }

    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception, FsException {
        Stateid stateid = call.files().resolve(in.stateid());
        long offset = in.int64();
        Stability wanted = StableHow.decode(in);
        ByteBuffer data = in.data();
        Location file = call.files().current();
        int count = data.remaining();
        requireWithinLimits(call, file, offset, count);
        try (FileAccess access = FileAccess.toWrite(call, file, stateid)) {
            // Read before the write: if the verifier changes meanwhile, the client must take these data for lost.
            long verifier = file.fileSystem().writeVerifier();
            Stability reached = count == 0 ? Stability.FILE_SYNC : access.file().write(data, offset, wanted);
            out.int32(count);
            StableHow.encode(reached, out);
            out.int64(verifier);
        }
    }

    private static void requireWithinLimits(CallContext call, Location file, long offset, int count)
            throws Nfs4Exception {
        if (count > call.services().facts().maxWriteBytes()) {
            throw Nfs4Exception.of(Nfs4Status.INVAL);
        }
        long longest = file.fileSystem().limits().maxFileSizeBytes();
        if (offset < 0 || (count > 0 && offset > longest - count)) {
            throw Nfs4Exception.of(Nfs4Status.FBIG);
        }
    }
}
