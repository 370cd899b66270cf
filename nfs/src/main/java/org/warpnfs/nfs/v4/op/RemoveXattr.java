package org.warpnfs.nfs.v4.op;

import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;

/** REMOVEXATTR (RFC 8276, section 8.4.4). */
final class RemoveXattr implements ChangingOperation {
    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception, FsException {
        byte[] name = XattrNames.decode(in);
        Location file = call.files().current();
        call.admissions().requireWritable(file);
        try (FileChange _ = FileChange.ofWatched(call, file);
                DirectoryChange change = DirectoryChange.begin(call, file)) {
            file.fileSystem().removeXattr(call.admissions().callerAt(file), file.file(), name);
            change.encode(out);
        }
    }
}
