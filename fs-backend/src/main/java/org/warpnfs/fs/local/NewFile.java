package org.warpnfs.fs.local;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.Statx;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;

/**
 * A directory or special file that is about to be made. It has to be opened by name afterwards, and someone may have
 * put another file in its place by then: that is told by its type, its owner and its birth, which is not before the
 * making began by the clock that the file system itself goes by.
 */
final class NewFile {
    /**
     * Births are times of the kernel's last tick, and a directory's change may be told to the nanosecond (Linux 6.13).
     * Ticks come late where a virtual machine's processor was away: by far more than a tick's length. What is made less
     * than this before would pass for new; it still has to have the caller for its owner.
     */
    private static final long LATE_TICK_NANOS = 1_000_000_000;

    private final FileType type;
    private final @Nullable Long owner;
    private final long beganNanos = System.nanoTime();

    /**
     * Begins to make it.
     *
     * @param owner null if it will belong to the server's user
     */
    NewFile(FileType type, @Nullable Long owner) {
        this.type = type;
        this.owner = owner;
    }

    /**
     * Throws STALE unless {@code made} can be the new one.
     *
     * @param directory where it was made, which its making changed
     */
    void require(Fd directory, Fd made) throws FsException {
        Statx file = AttributeReader.statx(made);
        Statx parent = AttributeReader.statx(directory);
        boolean isOfType = AttributeReader.type(file) == type;
        // Some file systems keep no owners: then all files have the same.
        boolean isOfOwner = owner == null || file.uid() == owner || file.uid() == parent.uid();
        long earliestNanos = nanos(parent.changeSeconds(), parent.changeNanos())
                - (System.nanoTime() - beganNanos)
                - LATE_TICK_NANOS;
        boolean isYoung = !file.hasBirthTime() || nanos(file.birthSeconds(), file.birthNanos()) >= earliestNanos;
        if (!isOfType || !isOfOwner || !isYoung) {
            throw FsException.of(FsError.STALE, "another file has taken the name of the new one");
        }
    }

    private static long nanos(long seconds, int nanos) {
        return TimeUnit.SECONDS.toNanos(seconds) + nanos;
    }
}
