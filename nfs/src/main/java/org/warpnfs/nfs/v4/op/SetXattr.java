package org.warpnfs.nfs.v4.op;

import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.XattrMode;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/** SETXATTR (RFC 8276, section 8.4.2). */
final class SetXattr implements ChangingOperation {
    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception, FsException {
        XattrMode mode =
                switch (in.int32()) {
                    case 0 -> XattrMode.EITHER;
                    case 1 -> XattrMode.CREATE;
                    case 2 -> XattrMode.REPLACE;
                    default -> throw Nfs4Exception.of(Nfs4Status.BADXDR);
                };
        byte[] name = XattrNames.decode(in);
        byte[] value = in.opaque(XattrNames.MAX_VALUE_BYTES, Nfs4Status.XATTR2BIG);
        Location file = call.files().current();
        call.admissions().requireWritable(file);
        try (FileChange _ = FileChange.ofWatched(call, file);
                DirectoryChange change = DirectoryChange.begin(call, file)) {
            file.fileSystem().setXattr(call.admissions().callerAt(file), file.file(), name, value, mode);
            change.encode(out);
        }
    }
}
