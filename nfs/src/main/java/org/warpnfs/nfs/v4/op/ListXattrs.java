package org.warpnfs.nfs.v4.op;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/**
 * LISTXATTRS (RFC 8276, section 8.4.3). A cookie is the number of names that earlier replies returned, in the order of
 * the names' bytes.
 */
final class ListXattrs implements Operation {
    /** Length of cookie, number of names, and eof. */
    private static final int FRAME_BYTES = 16;

    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception, FsException {
        long cookie = in.int64();
        long maxCount = in.uint32();
        Location file = call.files().current();
        if (maxCount < FRAME_BYTES) {
            throw Nfs4Exception.of(Nfs4Status.TOOSMALL);
        }
        List<byte[]> names =
                new ArrayList<>(file.fileSystem().listXattrs(call.admissions().callerAt(file), file.file()));
        names.sort(Arrays::compareUnsigned);
        if (cookie < 0 || cookie > names.size()) {
            throw Nfs4Exception.of(Nfs4Status.BAD_COOKIE);
        }
        int most = call.maxListBytes(maxCount, FRAME_BYTES, out);
        int left = most - FRAME_BYTES;
        int end = (int) cookie;
        while (end < names.size() && Integer.BYTES + CompoundWriter.roundUp(names.get(end).length) <= left) {
            left -= Integer.BYTES + CompoundWriter.roundUp(names.get(end).length);
            end++;
        }
        if (end == cookie && end < names.size()) {
            throw call.tooSmall(maxCount, most, out);
        }
        out.int64(end);
        out.int32(end - (int) cookie);
        names.subList((int) cookie, end).forEach(out::opaque);
        out.bool(end == names.size());
    }
}
