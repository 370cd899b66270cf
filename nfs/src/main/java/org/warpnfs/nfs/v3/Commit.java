package org.warpnfs.nfs.v3;

import java.io.IOException;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenFile;

/** COMMIT (RFC 1813, section 3.3.21). It syncs the whole file, whatever range is asked for, as the RFC allows. */
final class Commit implements Nfs3Procedure<Commit.Args> {
    /** COMMIT3args, without the range. */
    record Args(Nfs3Handle file) {}

    @Override
    public Args decode(XdrDecodingStream xdr) throws IOException {
        Nfs3Handle file = Nfs3Handle.decode(xdr);
        long unusedOffset = xdr.xdrDecodeLong();
        int unusedCount = xdr.xdrDecodeInt();
        return new Args(file);
    }

    @Override
    public Nfs3Reply run(Nfs3Call call, Args args) throws FsException, Nfs3Exception {
        Nfs3File file = call.dataFile(args.file(), true);
        try (OpenFile open = RegularFile.openToWrite(file)) {
            open.sync();
            // Read after this sync: another sync may have failed meanwhile and lost data that the client now asks
            // about.
            long verifier = call.writeVerifier(file);
            WccData wcc = WccData.after(file.postOpAttr(open));
            return Nfs3Reply.ok(xdr -> {
                wcc.encode(xdr);
                xdr.xdrEncodeLong(verifier);
            });
        }
    }

    @Override
    public Nfs3Reply.Body failed(Nfs3Call call, Args args) {
        return call.wccData(args.file())::encode;
    }
}
