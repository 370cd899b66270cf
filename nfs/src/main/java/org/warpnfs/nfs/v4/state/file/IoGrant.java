package org.warpnfs.nfs.v4.state.file;

import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.OpenFile;

/**
 * Permission to read or write, by a stateid.
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

    /** Takes a further reference to the file. Somebody holds another one, which cannot go meanwhile. */
    static IoGrant holding(@Nullable SharedFile file) {
        return new IoGrant(file == null ? null : file.hold());
    }

    /** A permission without a file: the caller opens the file for this one request. */
    public static IoGrant withoutFile() {
        return new IoGrant(null);
    }

    /**
     * The open's own file, or null, in which case the caller opens the file for this one request. Null if the stateid
     * has no file, and also if the file was opened through an export of another file system. The write verifier of that
     * file system would not report data that are lost there, and the policy of that export has decided who may open the
     * file.
     */
    public @Nullable OpenFile fileOf(FileSystem fileSystem) {
        return shared == null ? null : shared.fileOf(fileSystem);
    }

    /** True if an open or a delegation is behind it. */
    public boolean hasFile() {
        return shared != null;
    }

    /**
     * True if the open's file was opened for that user. Another user may use it only as far as the permissions of the
     * file allow: a stateid is no secret, and an OPEN judges the user who sends it alone.
     */
    public boolean isOpenedBy(Caller caller) {
        return shared != null && shared.isOpenedBy(caller);
    }

    /** Ends the grant on a thread that must not wait. If the file has to be closed, {@code closer} does it. */
    public void close(Executor closer) {
        if (shared != null) {
            shared.release(closer);
        }
    }

    @Override
    public void close() {
        if (shared != null) {
            shared.release();
        }
    }
}
