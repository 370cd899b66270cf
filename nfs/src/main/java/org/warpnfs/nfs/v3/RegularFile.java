package org.warpnfs.nfs.v3;

import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;

/** Opens files for READ, WRITE and COMMIT. */
final class RegularFile {
    private RegularFile() {}

    /**
     * Opens a file for reading. A caller that may execute a file may read it: the client's kernel has to read it to
     * execute it (RFC 1813, section 4.4).
     */
    static OpenFile openToRead(Nfs3File file) throws FsException, Nfs3Exception {
        try {
            return file.fileSystem().open(file.caller(), file.handle(), OpenAccess.READ);
        } catch (FsException e) {
            throw invalidIfNotRegular(e);
        }
    }

    /** Does the same as {@link #openToRead} without a wait; null if it would have to wait. */
    static @Nullable OpenFile tryOpenToRead(Nfs3File file) throws FsException, Nfs3Exception {
        try {
            return file.fileSystem().tryOpen(file.caller(), file.handle(), OpenAccess.READ);
        } catch (FsException e) {
            throw invalidIfNotRegular(e);
        }
    }

    static OpenFile openToWrite(Nfs3File file) throws FsException, Nfs3Exception {
        file.requireWritable();
        try {
            return file.fileSystem().open(file.caller(), file.handle(), OpenAccess.WRITE);
        } catch (FsException e) {
            throw invalidIfNotRegular(e);
        }
    }

    /**
     * Changes the error for a directory to that of other files without data, as RFC 1813, section 3.3.6 and §3.3.7
     * demand.
     */
    private static FsException invalidIfNotRegular(FsException e) throws Nfs3Exception {
        if (e.error() == FsError.IS_DIRECTORY) {
            throw new Nfs3Exception(Nfs3Status.INVAL);
        }
        return e;
    }
}
