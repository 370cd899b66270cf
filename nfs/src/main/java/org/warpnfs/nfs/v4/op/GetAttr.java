package org.warpnfs.nfs.v4.op;

import java.util.BitSet;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.attr.Attributes;
import org.warpnfs.nfs.v4.xdr.Bitmap;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;

/** GETATTR (RFC 8881, section 18.7). */
final class GetAttr implements Operation {
    @Override
    public boolean keepsAttributes() {
        return true;
    }

    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out)
            throws Nfs4Exception, FsException, Postponed {
        BitSet asked = Bitmap.decode(in);
        Location file = call.files().current();
        Attributes.requireReadable(asked, call.minorVersion());
        if (!call.mustNotWait()) {
            encode(call, asked, file, LatestAttributes.of(call, asked, file), out);
            return;
        }
        boolean isAtHand = Attributes.needOnlyTheFile(asked)
                && !file.isAbsent()
                && !LatestAttributes.mayBeElsewhere(call, asked, file);
        FileAttributes known = isAtHand ? call.files().tryAttributes(file) : null;
        if (known == null) {
            throw new Postponed(0, () -> encode(call, asked, file, LatestAttributes.of(call, asked, file), out));
        }
        encode(call, asked, file, known, out);
    }

    private static void encode(
            CallContext call, BitSet asked, Location file, FileAttributes attributes, CompoundWriter out)
            throws Nfs4Exception, FsException {
        if (file.isAbsent()) {
            Attributes.encodeAbsent(asked, call.source(asked, file, attributes), out);
        } else {
            Attributes.encode(asked, call.source(asked, file, attributes), out);
        }
    }
}
