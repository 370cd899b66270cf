package org.warpnfs.nfs.v4.state.file;

import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.OpenFile;

/**
 * Leave to read or write, as a stateid gives it.
 *
 * <h2>Buffers</h2>
 *
 * Holds the open's backend file until it is closed.
 */
public final class IoGrant implements AutoCloseable {
    private final @Nullable SharedFile shared;

    private IoGrant(@Nullable SharedFile shared) {
        this.shared = shared;
    }

    /** Holds the file, which someone holds who cannot go meanwhile. */
    static IoGrant holding(@Nullable SharedFile file) {
        return new IoGrant(file == null ? null : file.hold());
    }

    /** Leave that brings no file: the caller opens it for this one request. */
    public static IoGrant withoutFile() {
        return new IoGrant(null);
    }

    /**
     * The open's own file; null where the stateid brings none, and the caller opens the file for this one request. So
     * it does where the file was opened through another export that is another file system: its write verifier would
     * not tell of what is lost there, and another policy has said who may open it.
     */
    public @Nullable OpenFile fileOf(FileSystem fileSystem) {
        return shared == null ? null : shared.fileOf(fileSystem);
    }

    @Override
    public void close() {
        if (shared != null) {
            shared.release();
        }
    }
}
