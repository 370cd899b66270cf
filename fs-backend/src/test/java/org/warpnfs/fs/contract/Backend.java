package org.warpnfs.fs.contract;

import java.io.IOException;
import java.nio.file.Path;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileSystem;

/** A kind of backend for the contract suite: how to start it, and what it does differently. */
public interface Backend extends AutoCloseable {
    /** Starts on an empty tree. A start after {@link FileSystem#close} is on the files that were kept. */
    FileSystem start() throws Exception;

    /** True if files survive {@link FileSystem#close}. */
    boolean keepsFiles();

    /** True if a new file belongs to the caller, false if to {@link #serverUid}. */
    boolean actsAsCaller();

    /** The user of this process. */
    long serverUid();

    /** True if {@link #giveAway} works here. */
    boolean canGiveAway();

    /** Makes {@code owner} the owner of {@code file}, which is at {@code path} below the root, by any means. */
    void giveAway(FileSystem fileSystem, FileHandle file, String path, Caller owner) throws Exception;

    /** The directory of the host that the backend serves, which tests may change other than through the backend. */
    default Path hostRoot() {
        return null;
    }

    @Override
    void close() throws IOException;
}
