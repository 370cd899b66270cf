package org.warpnfs.nfs.v4.op;

import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/** LINK (RFC 8881, section 18.9): links the saved file into the current directory. */
final class Link implements ChangingOperation {
    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception, FsException {
        FileName name = Names.decode(in);
        Location file = call.files().savedBesideCurrent();
        Location directory = call.files().current();
        call.admissions().requireWritable(directory);
        Names.requireDirectory(directory);
        if (file.type() == FileType.DIRECTORY) {
            throw Nfs4Exception.of(Nfs4Status.ISDIR);
        }
        try (FileChange _ = FileChange.of(call, file);
                DirectoryChange change = DirectoryChange.begin(call, directory)) {
            file.fileSystem().link(call.admissions().callerAt(directory), file.file(), directory.file(), name);
            change.encode(out);
        }
    }
}
