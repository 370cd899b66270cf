package org.warpnfs.nfs.v4.op;

import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Stateid;

/** SEEK (RFC 7862, section 15.11). */
final class Seek implements Operation {
    private static final int DATA = 0;
    private static final int HOLE = 1;

    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception, FsException {
        Stateid stateid = call.files().resolve(in.stateid());
        long offset = in.int64();
        int what = in.int32();
        if (what != DATA && what != HOLE) {
            throw Nfs4Exception.of(Nfs4Status.UNION_NOTSUPP);
        }
        try (FileAccess access = FileAccess.toRead(call, call.files().current(), stateid)) {
            long size = access.file().sizeBytes();
            if (offset < 0 || offset >= size) {
                throw Nfs4Exception.of(Nfs4Status.NXIO);
            }
            long found = seek(access.file(), what, offset, size);
            out.bool(found >= size);
            out.int64(found);
        }
    }

    /** The offset of the next data or hole, or the size if there is none. */
    private static long seek(OpenFile file, int what, long offset, long size) throws FsException {
        try {
            return what == DATA ? file.seekData(offset) : file.seekHole(offset);
        } catch (FsException e) {
            if (e.error() == FsError.NO_DEVICE) {
                return size;
            }
            throw e;
        }
    }
}
