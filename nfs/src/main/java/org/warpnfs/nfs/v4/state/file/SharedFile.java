package org.warpnfs.nfs.v4.state.file;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.OpenFile;

/**
 * A backend's open file that an open state holds and that requests under way use. It is closed by whoever lets it go
 * last, so that a CLOSE does not pull the file from under a READ on another thread.
 */
public final class SharedFile {
    private final OpenFile file;
    private final @Nullable FileSystem fileSystem;
    private final AtomicInteger holders = new AtomicInteger(1);

    /** Takes over {@code file} with one holder. */
    public SharedFile(OpenFile file) {
        this(file, null);
    }

    /** As {@link #SharedFile(OpenFile)}, of a file of that file system alone, whatever others reach the same file. */
    public SharedFile(OpenFile file, @Nullable FileSystem fileSystem) {
        this.file = file;
        this.fileSystem = fileSystem;
    }

    public OpenFile file() {
        return file;
    }

    /** The file, if it was opened through that file system. */
    @Nullable
    OpenFile fileOf(FileSystem other) {
        return fileSystem == null || fileSystem == other ? file : null;
    }

    /** True if it was opened through that file system. */
    boolean isOf(FileSystem other) {
        return fileSystem == other;
    }

    /** One more holder. Only for one who knows of a holder that cannot go meanwhile. */
    public SharedFile hold() {
        if (holders.getAndIncrement() <= 0) {
            throw new IllegalStateException("file held after it was closed");
        }
        return this;
    }

    /** One holder less. */
    public void release() {
        int left = holders.decrementAndGet();
        if (left < 0) {
            throw new IllegalStateException("file released twice");
        }
        if (left == 0) {
            file.close();
        }
    }
}
