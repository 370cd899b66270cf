package org.warpnfs.nfs.export;

import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileIdentity;
import org.warpnfs.fs.spi.FsException;

/**
 * Notification before a file is changed or read, from programs without delegations to one that has granted some. Safe
 * for any thread.
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

    /**
     * Must be called before entries of a directory are changed, as {@link #begin} for a file.
     *
     * @throws FsException TRY_LATER while a delegation of the directory is being recalled
     */
    default Change beginInDirectory(FileIdentity directory) throws FsException {
        return () -> {};
    }

    /**
     * True if a client with a delegation may have changes of the file in its cache that the backend does not know.
     * Looks only at memory and takes no lock.
     */
    default boolean isChangedElsewhere(FileIdentity file) {
        return false;
    }

    /** Asks such clients for attributes, on behalf of one listing. For one thread at a time. */
    default Elsewhere askForListing() {
        return _ -> null;
    }

    /**
     * Must be called before data or attributes of {@code file} are read.
     *
     * @throws FsException TRY_LATER while a delegation to write it is being recalled
     */
    default void beforeReading(FileIdentity file) throws FsException {}

    /** Attributes of files that {@link #isChangedElsewhere} is true for. */
    @FunctionalInterface
    interface Elsewhere {
        /** The attributes of a file; null if nobody knows them now. May wait. */
        @Nullable
        FileAttributes of(Location file) throws FsException;
    }

    /** The time during which a file is changed. */
    @FunctionalInterface
    interface Change extends AutoCloseable {
        @Override
        void close();
    }
}
