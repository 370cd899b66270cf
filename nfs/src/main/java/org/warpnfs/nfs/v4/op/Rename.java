package org.warpnfs.nfs.v4.op;

import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/** RENAME (RFC 8881, section 18.26) from the saved directory to the current one. */
final class Rename implements ChangingOperation {
    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception, FsException {
        FileName fromName = Names.decode(in);
        FileName toName = Names.decode(in);
        Location from = call.files().savedBesideCurrent();
        Location to = call.files().current();
        call.admissions().requireWritable(to);
        Names.requireDirectory(from);
        Names.requireDirectory(to);
        call.services().state().requireNoGrace(call.nowNanos());
        Caller caller = call.admissions().callerAt(from);
        call.services().exports().requireMovable(caller, from, fromName);
        call.services().exports().requireMovable(caller, to, toName);
        try (FileChange _ = FileChange.ofName(call, from, fromName);
                FileChange _ = FileChange.ofName(call, to, toName);
                DirectoryChange source = DirectoryChange.begin(call, from);
                // Two windows on one directory would overlap each other.
                DirectoryChange target = from.equals(to) ? source : DirectoryChange.begin(call, to)) {
            rename(caller, from, fromName, to, toName);
            int at = out.position();
            source.encode(out);
            if (source.equals(target)) {
                out.repeat(at);
            } else {
                target.encode(out);
            }
        }
    }

    private static void rename(Caller caller, Location from, FileName fromName, Location to, FileName toName)
            throws Nfs4Exception, FsException {
        try {
            from.fileSystem().rename(caller, from.file(), fromName, to.file(), toName);
        } catch (FsException e) {
            // A directory cannot replace a file, nor a file a directory: the answer is EXIST (section 18.26.4).
            if (e.error() == FsError.IS_DIRECTORY || e.error() == FsError.NOT_DIRECTORY) {
                throw Nfs4Exception.of(Nfs4Status.EXIST);
            }
            throw e;
        }
    }
}
