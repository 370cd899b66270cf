package org.warpnfs.nfs.v3;

import java.io.IOException;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.FileChanges;

/** RENAME (RFC 1813, section 3.3.14), within one export. */
final class Rename implements Nfs3Procedure<Rename.Args> {
    /** RENAME3args. */
    record Args(DirOpArgs3 from, DirOpArgs3 to) {}

    @Override
    public Args decode(XdrDecodingStream xdr) throws IOException {
        return new Args(DirOpArgs3.decode(xdr), DirOpArgs3.decode(xdr));
    }

    @Override
    public Nfs3Reply run(Nfs3Call call, Args args) throws FsException, Nfs3Exception {
        Nfs3File from = call.file(args.from().directory());
        Nfs3File to = call.file(args.to().directory());
        from.requireWritable();
        to.requireWritable();
        if (!from.export().isSame(to.export())) {
            throw new Nfs3Exception(Nfs3Status.XDEV);
        }
        FileName fromName = args.from().name().properOr(Nfs3Status.INVAL, Nfs3Status.INVAL);
        FileName toName = args.to().name().properOr(Nfs3Status.INVAL, Nfs3Status.INVAL);
        call.requireMovable(from, fromName);
        call.requireMovable(to, toName);
        try (FileChanges.Change _ = call.changingName(from, fromName);
                FileChanges.Change _ = call.changingName(to, toName)) {
            return from.equals(to)
                    ? renameWithin(call, from, fromName, toName)
                    : renameAcross(call, from, fromName, to, toName);
        }
    }

    /**
     * Renames within one directory. The directory is watched once: two windows would seem to be two changes that
     * overlap.
     */
    private static Nfs3Reply renameWithin(Nfs3Call call, Nfs3File directory, FileName fromName, FileName toName)
            throws FsException {
        try (WatchedChange change = WatchedChange.begin(call, directory)) {
            directory.fileSystem().rename(directory.caller(), directory.handle(), fromName, directory.handle(), toName);
            WccData wcc = change.end();
            return Nfs3Reply.ok(both(wcc, wcc));
        }
    }

    private static Nfs3Reply renameAcross(Nfs3Call call, Nfs3File from, FileName fromName, Nfs3File to, FileName toName)
            throws FsException {
        try (WatchedChange fromChange = WatchedChange.begin(call, from);
                WatchedChange toChange = WatchedChange.begin(call, to)) {
            from.fileSystem().rename(from.caller(), from.handle(), fromName, to.handle(), toName);
            return Nfs3Reply.ok(both(fromChange.end(), toChange.end()));
        }
    }

    private static Nfs3Reply.Body both(WccData from, WccData to) {
        return xdr -> {
            from.encode(xdr);
            to.encode(xdr);
        };
    }

    @Override
    public Nfs3Reply.Body failed(Nfs3Call call, Args args) {
        return both(
                call.wccData(args.from().directory()), call.wccData(args.to().directory()));
    }

    @Override
    public boolean isRemembered() {
        return true;
    }
}
