package org.warpnfs.nfs.v3;

import java.io.IOException;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.FileChanges;
import org.warpnfs.nfs.xdr.BoundedXdr;

/**
 * SETATTR (RFC 1813, section 3.3.2) with its guard: nothing is set if the file's ctime differs from the one that the
 * client sent.
 */
final class SetAttr implements Nfs3Procedure<SetAttr.Args> {
    /**
     * SETATTR3args.
     *
     * @param guard the ctime that the file must have, or null
     */
    record Args(
            Nfs3Handle file, Sattr3 attributes, @Nullable NfsTime3 guard) {}

    @Override
    public Args decode(XdrDecodingStream xdr) throws IOException {
        return new Args(Nfs3Handle.decode(xdr), Sattr3.decode(xdr), BoundedXdr.bool(xdr) ? NfsTime3.decode(xdr) : null);
    }

    @Override
    public Nfs3Reply run(Nfs3Call call, Args args) throws FsException, Nfs3Exception {
        Nfs3File file = call.file(args.file());
        file.requireWritable();
        try (FileChanges.Change _ = call.changingWatched(file);
                WatchedChange change = WatchedChange.begin(call, file)) {
            if (args.guard() != null
                    && !args.guard()
                            .equals(NfsTime3.of(file.attributes(WccData.NEEDED).changeTime()))) {
                throw new Nfs3Exception(Nfs3Status.NOT_SYNC);
            }
            file.fileSystem()
                    .setAttributes(
                            file.caller(), file.handle(), args.attributes().changes());
            return Nfs3Reply.ok(change.end()::encode);
        }
    }

    @Override
    public Nfs3Reply.Body failed(Nfs3Call call, Args args) {
        return call.wccData(args.file())::encode;
    }

    @Override
    public boolean isRemembered() {
        return true;
    }
}
