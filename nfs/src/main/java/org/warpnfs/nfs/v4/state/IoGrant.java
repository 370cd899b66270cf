package org.warpnfs.nfs.v4.state;

import org.jspecify.annotations.Nullable;
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

    IoGrant(@Nullable SharedFile shared) {
        this.shared = shared;
    }

    /** The open's own file; null where the stateid brings none, and the caller opens the file for this one request. */
    public @Nullable OpenFile file() {
        return shared == null ? null : shared.file();
    }

    @Override
    public void close() {
        if (shared != null) {
            shared.release();
        }
    }
}
