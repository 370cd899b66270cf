package org.warpnfs.nfs.v3;

import java.io.IOException;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.FileChanges;
import org.warpnfs.nfs.xdr.BoundedXdr;

/** CREATE (RFC 1813, section 3.3.8). */
final class Create extends NewNode<Create.Args> {
    /** Permissions until the client sets others, by the SETATTR that follows an exclusive create. */
    static final int PERMISSIONS = 0600;

    private static final int HOW_COUNT = 3;
    private static final int EXCLUSIVE = 2;
    private static final int GUARDED = 1;

    /** CREATE3args. */
    record Args(DirOpArgs3 where, How how) {}

    /** createhow3. */
    sealed interface How {
        record Unchecked(Sattr3 attributes) implements How {}

        record Guarded(Sattr3 attributes) implements How {}

        record Exclusive(long verifier) implements How {}
    }

    @Override
    public Args decode(XdrDecodingStream xdr) throws IOException {
        DirOpArgs3 where = DirOpArgs3.decode(xdr);
        int how = BoundedXdr.ordinal(xdr, HOW_COUNT);
        return new Args(
                where,
                switch (how) {
                    case EXCLUSIVE -> new How.Exclusive(xdr.xdrDecodeLong());
                    case GUARDED -> new How.Guarded(Sattr3.decode(xdr));
                    default -> new How.Unchecked(Sattr3.decode(xdr));
                });
    }

    @Override
    DirOpArgs3 where(Args args) {
        return args.where();
    }

    @Override
    FileNode make(Nfs3Call call, Nfs3File directory, FileName name, Args args) throws FsException, Nfs3Exception {
        CreateMode mode =
                switch (args.how()) {
                    case How.Unchecked how ->
                        new CreateMode.Unchecked(how.attributes().changesWithPermissionsOr(PERMISSIONS));
                    case How.Guarded how ->
                        new CreateMode.Guarded(how.attributes().changesWithPermissionsOr(PERMISSIONS));
                    case How.Exclusive how ->
                        new CreateMode.Exclusive(
                                call.exclusiveVerifier(how.verifier(), directory, name),
                                AttributeChanges.ofPermissions(PERMISSIONS));
                };
        // An unchecked create may truncate an existing file.
        boolean cuts = mode instanceof CreateMode.Unchecked unchecked
                && unchecked.attributes().sizeBytes() != null;
        try (FileChanges.Change _ = cuts ? call.changingName(directory, name) : () -> {}) {
            return directory
                    .fileSystem()
                    .create(directory.caller(), directory.handle(), name, mode)
                    .node();
        }
    }
}
