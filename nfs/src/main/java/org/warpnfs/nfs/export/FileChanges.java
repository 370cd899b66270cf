package org.warpnfs.nfs.export;

import org.warpnfs.fs.spi.FileIdentity;
import org.warpnfs.fs.spi.FsException;

/**
 * Asked before a file is changed, by programs whose clients hold no promises about files on behalf of one whose clients
 * do. Safe for any thread.
 */
@FunctionalInterface
public interface FileChanges {
    /** For a server without such clients. */
    FileChanges UNWATCHED = _ -> () -> {};

    /**
     * Data, attributes or names of {@code file} are about to change. No promise about it is made until the change is
     * closed.
     *
     * @throws FsException TRY_LATER while a client that relies on the file is being told
     */
    Change begin(FileIdentity file) throws FsException;

    /** The time in which a file is being changed. */
    @FunctionalInterface
    interface Change extends AutoCloseable {
        @Override
        void close();
    }
}
