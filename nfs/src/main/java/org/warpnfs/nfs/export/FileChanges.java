package org.warpnfs.nfs.export;

import org.warpnfs.fs.spi.FileIdentity;
import org.warpnfs.fs.spi.FsException;

/**
 * Notification before a file is changed, from programs without delegations to one that has granted some. Safe for any
 * thread.
 */
@FunctionalInterface
public interface FileChanges {
    /** For a server that grants no delegations. */
    FileChanges UNWATCHED = _ -> () -> {};

    /**
     * Must be called before data, attributes or names of {@code file} are changed. No delegation of the file is granted
     * until the change is closed.
     *
     * @throws FsException TRY_LATER while a delegation of the file is being recalled
     */
    Change begin(FileIdentity file) throws FsException;

    /** The time during which a file is changed. */
    @FunctionalInterface
    interface Change extends AutoCloseable {
        @Override
        void close();
    }
}
