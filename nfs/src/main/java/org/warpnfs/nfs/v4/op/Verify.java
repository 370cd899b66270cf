package org.warpnfs.nfs.v4.op;

import java.util.BitSet;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.attr.AttributeComparison;
import org.warpnfs.nfs.v4.attr.Attributes;
import org.warpnfs.nfs.v4.xdr.Bitmap;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/**
 * VERIFY and NVERIFY (RFC 8881, sections 18.31 and 18.15). After VERIFY the COMPOUND goes on only if the attributes are
 * the same, after NVERIFY only if they are not.
 */
final class Verify implements Operation {
    private static final int MAX_ATTRIBUTE_BYTES = 64 * 1024;

    private final boolean wanted;

    /** @param wanted the result of the comparison with which the COMPOUND goes on: true for VERIFY */
    Verify(boolean wanted) {
        this.wanted = wanted;
    }

    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception, FsException {
        BitSet named = Bitmap.decode(in);
        byte[] values = in.opaque(MAX_ATTRIBUTE_BYTES);
        Location file = call.files().current();
        if (named.get(Attributes.RDATTR_ERROR)) {
            throw Nfs4Exception.of(Nfs4Status.INVAL);
        }
        Attributes.requireSupported(named, call.supported(file));
        Attributes.requireReadable(named, call.minorVersion());
        boolean same = AttributeComparison.areSame(
                named, values, call.source(named, file, LatestAttributes.of(call, named, file)));
        if (same != wanted) {
            throw Nfs4Exception.of(same ? Nfs4Status.SAME : Nfs4Status.NOT_SAME);
        }
    }
}
