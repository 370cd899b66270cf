package org.warpnfs.fs.local;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.Statx;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;

/**
 * A directory or special file that is about to be created. It has to be opened by name afterwards, and by then somebody
 * may have put another file in its place. Such a file is recognised by its type, its owner and its birth. The birth of
 * the new file is not before its creation began, by the clock that the file system itself uses.
 */
final class NewFile {
    /**
     * Tolerance in the comparison of births. A birth is the time of the kernel's last tick, but the change time of a
     * directory may be exact to the nanosecond (Linux 6.13). Where a virtual machine's processor was paused, a tick
     * comes late by far more than its length. A file that was made less than this before passes as new, but it still
     * needs the caller as its owner.
     */
    private static final long LATE_TICK_NANOS = 1_000_000_000;

    private final FileType type;
    private final @Nullable Long owner;
    private final long beganNanos = System.nanoTime();

    /**
     * Notes the time at which creation begins.
     *
     * @param owner null if the file will belong to the server's user
     */
    NewFile(FileType type, @Nullable Long owner) {
        this.type = type;
        this.owner = owner;
    }

    /**
     * Throws STALE unless {@code made} can be the new file.
     *
     * @param directory the parent, whose change time the creation updated
     */
    void require(Fd directory, Fd made) throws FsException {
        Statx file = AttributeReader.statx(made);
        Statx parent = AttributeReader.statx(directory);
        boolean isOfType = AttributeReader.type(file) == type;
        // Some file systems keep no owners: then all files have the same owner.
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
