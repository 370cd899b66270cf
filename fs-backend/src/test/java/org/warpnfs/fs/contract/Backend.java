package org.warpnfs.fs.contract;

import java.io.IOException;
import java.nio.file.Path;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileSystem;

/** One kind of backend under the contract suite: how to start it, and what it cannot help doing differently. */
public interface Backend extends AutoCloseable {
    /** Starts on an empty tree; or, called again after {@link FileSystem#close}, on what is kept. */
    FileSystem start() throws Exception;

    /** True if files outlive {@link FileSystem#close}. */
    boolean keepsFiles();

    /** True if a new file belongs to the caller; false if to {@link #serverUid}. */
    boolean actsAsCaller();

    /** Whose process this is. */
    long serverUid();

    /** True if {@link #giveAway} works here. */
    boolean canGiveAway();

    /** Makes {@code file}, at {@code path} below the root, belong to {@code owner}, by whatever way there is. */
    void giveAway(FileSystem fileSystem, FileHandle file, String path, Caller owner) throws Exception;

    /** True if what a test does to the tree behind the backend's back can be done: a directory of the host. */
    default Path hostRoot() {
        return null;
    }

    @Override
    void close() throws IOException;
}
