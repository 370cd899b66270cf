package org.warpnfs.nfs.v3;

import java.io.IOException;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FsException;

/** GETATTR (RFC 1813, section 3.3.1). */
final class GetAttr implements Nfs3Procedure<Nfs3Handle> {
    @Override
    public Nfs3Handle decode(XdrDecodingStream xdr) throws IOException {
        return Nfs3Handle.decode(xdr);
    }

    @Override
    public Nfs3Reply run(Nfs3Call call, Nfs3Handle handle) throws FsException, Nfs3Exception {
        Nfs3File file = call.file(handle);
        call.beforeReading(file);
        Fattr3 attributes = Fattr3.of(file.export(), file.attributes());
        return Nfs3Reply.ok(attributes::encode);
    }

    @Override
    public @Nullable Nfs3Reply tryRun(Nfs3Call call, Nfs3Handle handle) throws FsException, Nfs3Exception {
        Nfs3File file = call.file(handle);
        if (call.isChangedElsewhere(file)) {
            return null;
        }
        FileAttributes known = file.fileSystem().tryAttributes(file.handle());
        if (known == null) {
            return null;
        }
        Fattr3 attributes = Fattr3.of(file.export(), known);
        return Nfs3Reply.ok(attributes::encode);
    }

    @Override
    public Nfs3Reply.Body failed(Nfs3Call call, Nfs3Handle handle) {
        return Nfs3Reply.Body.VOID;
    }
}
