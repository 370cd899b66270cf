package org.warpnfs.nfs.v4.op;

import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Stateid;
import org.warpnfs.nfs.v4.xdr.XdrReader;
import org.warpnfs.nfs.v4.xdr.XdrWriter;

/** CLONE (RFC 7862 section 15.13): all of it or nothing. */
final class CloneRange implements ChangingOperation {
    @Override
    public void execute(CallContext call, XdrReader in, XdrWriter out) throws Nfs4Exception, FsException {
        Stateid sourceStateid = call.resolveSaved(in.stateid());
        Stateid targetStateid = call.resolve(in.stateid());
        long sourceOffset = in.int64();
        long targetOffset = in.int64();
        long count = in.int64();
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
            from.file().cloneTo(sourceOffset, to.file(), targetOffset, length);
        }
    }
}
