package org.warpnfs.fs.contract;

import java.io.IOException;
import java.nio.file.Path;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileSystem;

/** A kind of backend for the contract suite: how to start it, and what it does differently. */
public interface Backend extends AutoCloseable {
    /**
     * Starts on an empty tree, or on that of {@link SampleTree} if the tree cannot be written. A start after
     * {@link FileSystem#close} is on the files that were kept.
     */
    FileSystem start() throws Exception;

    /** True if files survive {@link FileSystem#close}. */
    default boolean keepsFiles() {
        return true;
    }

    /** True if a new file belongs to the caller, false if to {@link #serverUid}. */
    default boolean actsAsCaller() {
        return true;
    }

    /** The user that makes the backend's calls to its medium; 0 if it may do everything there. */
    default long serverUid() {
        return 0;
    }

    /** True if a listing tells the types of files without looking at them. */
    default boolean listsTypes() {
        return true;
    }

    /** True if {@link #giveAway} works here. */
    default boolean canGiveAway() {
        return true;
    }

    /** Makes {@code owner} the owner of {@code file}, which is at {@code path} below the root, by any means. */
    default void giveAway(FileSystem fileSystem, FileHandle file, String path, Caller owner) throws Exception {
        fileSystem.setAttributes(
                Caller.ROOT, file, new AttributeChanges(null, owner.uid(), owner.gid(), null, null, null));
    }

    /** The directory of the host that the backend serves, which tests may change other than through the backend. */
    default Path hostRoot() {
        return null;
    }

    @Override
    void close() throws IOException;
}
