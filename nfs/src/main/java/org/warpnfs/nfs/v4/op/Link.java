package org.warpnfs.nfs.v4.op;

import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.XdrReader;
import org.warpnfs.nfs.v4.xdr.XdrWriter;

/** LINK (RFC 8881 section 18.9): of the saved file into the current directory. */
final class Link implements ChangingOperation {
    @Override
    public void execute(CallContext call, XdrReader in, XdrWriter out) throws Nfs4Exception, FsException {
        FileName name = Names.decode(in);
        Location file = call.saved();
        Location directory = call.current();
        if (!file.export().equals(directory.export())) {
            throw Nfs4Exception.of(Nfs4Status.XDEV);
        }
        call.requireWritable(directory);
        Names.requireDirectory(directory);
        if (CallContext.attributes(file).type() == FileType.DIRECTORY) {
            throw Nfs4Exception.of(Nfs4Status.ISDIR);
        }
        try (FileChange _ = FileChange.of(call, file);
                DirectoryChange change = DirectoryChange.begin(call, directory)) {
            CallContext.fileSystem(file).link(call.callerAt(directory), file.file(), directory.file(), name);
            change.encode(out);
        }
    }
}
