package org.warpnfs.nfs.v4.op;

import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/** component4 (RFC 8881, section 14.5). A name may have any bytes, since Linux clients send what their users typed. */
final class Names {
    /** Long enough to distinguish a name that is too long from an invalid argument. */
    private static final int MAX_DECODED_BYTES = 4096;

    private Names() {}

    /**
     * Decodes a name.
     *
     * @throws Nfs4Exception INVAL if it is empty, NAMETOOLONG, BADNAME for {@code .} and {@code ..}, BADCHAR for a
     *     slash or NUL in it
     */
    static FileName decode(CompoundReader in) throws Nfs4Exception {
        byte[] bytes = in.opaque(MAX_DECODED_BYTES);
        if (bytes.length == 0) {
            throw Nfs4Exception.of(Nfs4Status.INVAL);
        }
        try {
            return FileName.of(bytes);
        } catch (FsException e) {
            throw Nfs4Exception.of(faultOf(bytes));
        }
    }

    private static Nfs4Status faultOf(byte[] bytes) {
        if (bytes.length > FileName.MAX_LENGTH_BYTES) {
            return Nfs4Status.NAMETOOLONG;
        }
        for (byte b : bytes) {
            if (b == '/' || b == 0) {
                return Nfs4Status.BADCHAR;
            }
        }
        return Nfs4Status.BADNAME;
    }

    /**
     * Throws NOTDIR if the file is not a directory, or SYMLINK, so that the client follows the link itself (section
     * 18.13.4).
     */
    static void requireDirectory(Location location) throws Nfs4Exception, FsException {
        FileType type = location.type();
        if (type != FileType.DIRECTORY) {
            throw Nfs4Exception.of(type == FileType.SYMLINK ? Nfs4Status.SYMLINK : Nfs4Status.NOTDIR);
        }
    }
}
