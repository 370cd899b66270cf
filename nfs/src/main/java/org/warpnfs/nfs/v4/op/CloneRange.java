package org.warpnfs.nfs.v4.op;

import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;

/** CLONE (RFC 7862, section 15.13). It clones the whole range or nothing. */
final class CloneRange implements ChangingOperation {
    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception, FsException {
        RangePair ranges = RangePair.decode(call, in);
        ranges.between(
                call, (from, to, length) -> from.cloneTo(ranges.sourceOffset(), to, ranges.targetOffset(), length));
    }
}
