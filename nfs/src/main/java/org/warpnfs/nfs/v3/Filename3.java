package org.warpnfs.nfs.v3;

import java.io.IOException;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.xdr.BoundedXdr;

/**
 * filename3 (RFC 1813, section 2.4) as a client sent it: a proper name, or one of those that §3.2 warns of. A name
 * longer than any file's is not kept.
 */
sealed interface Filename3 {
    /** A name that a file can have. */
    record Proper(FileName name) implements Filename3 {}

    /** Names that no file can have. */
    enum Improper implements Filename3 {
        /** {@code .}: the directory itself. */
        SELF,
        /** {@code ..}: the directory above. */
        PARENT,
        /** Longer than {@link FileName#MAX_LENGTH_BYTES}. */
        TOO_LONG,
        /** Empty, or with a slash or a NUL in it. */
        ILLEGAL
    }

    static Filename3 decode(XdrDecodingStream xdr) throws IOException {
        byte[] bytes = BoundedXdr.opaqueOrSkip(xdr, FileName.MAX_LENGTH_BYTES);
        return bytes == null ? Improper.TOO_LONG : of(bytes);
    }

    private static Filename3 of(byte[] bytes) {
        if (bytes.length == 1 && bytes[0] == '.') {
            return Improper.SELF;
        }
        if (bytes.length == 2 && bytes[0] == '.' && bytes[1] == '.') {
            return Improper.PARENT;
        }
        try {
            return new Proper(FileName.of(bytes));
        } catch (FsException e) {
            return e.error() == FsError.NAME_TOO_LONG ? Improper.TOO_LONG : Improper.ILLEGAL;
        }
    }

    /** The name. {@code .} and {@code ..} get the status that the procedure's section of the RFC demands. */
    default FileName properOr(Nfs3Status ifSelf, Nfs3Status ifParent) throws Nfs3Exception {
        return switch (this) {
            case Proper proper -> proper.name();
            case Improper.SELF -> throw new Nfs3Exception(ifSelf);
            case Improper.PARENT -> throw new Nfs3Exception(ifParent);
            case Improper.TOO_LONG -> throw new Nfs3Exception(Nfs3Status.NAMETOOLONG);
            case Improper.ILLEGAL -> throw new Nfs3Exception(Nfs3Status.ACCES);
        };
    }

    /** Length of opaque data with the pad to a multiple of four. */
    static int padded(int lengthBytes) {
        return lengthBytes + 3 & -4;
    }
}
