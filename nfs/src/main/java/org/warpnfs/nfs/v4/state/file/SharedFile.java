package org.warpnfs.nfs.v4.state.file;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.OpenFile;

/**
 * A backend's open file that is shared by an open state and by requests in progress. The last holder to release it
 * closes it. So a CLOSE does not close the file during a READ on another thread. It remembers the user for whom it was
 * opened: another user who knows the stateid may only do what the file's permissions give it.
 */
public final class SharedFile {
    private final OpenFile file;
    private final @Nullable FileSystem fileSystem;
    private final long openerUid;
    private final AtomicInteger holders = new AtomicInteger(1);
    /** How many of the holders are states. */
    private int states;

    /** Takes ownership of {@code file}, with one holder. The superuser opened it, through whatever file system. */
    public SharedFile(OpenFile file) {
        this(file, null, Caller.ROOT);
    }

    /**
     * Takes ownership of a file that was opened through that file system. Requests through other file systems do not
     * use it, even if they reach the same file.
     *
     * @param opener for whom it was opened
     */
    public SharedFile(OpenFile file, @Nullable FileSystem fileSystem, Caller opener) {
        this.file = file;
        this.fileSystem = fileSystem;
        this.openerUid = opener.uid();
    }

    public OpenFile file() {
        return file;
    }

    /** The file, if it was opened through that file system. */
    @Nullable
    OpenFile fileOf(FileSystem other) {
        return fileSystem == null || fileSystem == other ? file : null;
    }

    /** True if it was opened for that user. */
    boolean isOpenedBy(Caller caller) {
        return openerUid == caller.uid();
    }

    /** True if it was opened through that file system. */
    boolean isOf(FileSystem other) {
        return fileSystem == other;
    }

    /** Adds a holder. The caller must know of another holder that cannot go meanwhile. */
    public SharedFile hold() {
        if (holders.getAndIncrement() <= 0) {
            throw new IllegalStateException("file held after it was closed");
        }
        return this;
    }

    /** Notes that a state is one of its holders. Guarded by the lock of the state, as the next two. */
    SharedFile takenByState() {
        states++;
        return this;
    }

    /** Notes that a state is about to release it. */
    void leftByState() {
        states--;
    }

    /** True if it has other holders than states: requests in progress. */
    boolean isUsedByRequests() {
        return holders.get() > states;
    }

    /** True if its last holder has released it. */
    boolean isClosed() {
        return holders.get() <= 0;
    }

    /** Removes a holder. The last one closes the file, which may wait. */
    public void release() {
        release(Runnable::run);
    }

    /** Removes a holder. If it is the last one, {@code closer} closes the file. */
    void release(Executor closer) {
        int left = holders.decrementAndGet();
        if (left < 0) {
            throw new IllegalStateException("file released twice");
        }
        if (left == 0) {
            closer.execute(file::close);
        }
    }
}
