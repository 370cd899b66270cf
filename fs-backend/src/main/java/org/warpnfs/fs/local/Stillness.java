package org.warpnfs.fs.local;

import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.local.libc.AttributeCalls;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.Statx;

/**
 * Tells whether the names of a directory still lead to the files that they led to when it was read.
 *
 * <h2>Operation</h2>
 *
 * Every change of a name changes the directory's change time, before the lock that a reader of the directory takes is
 * released. So if the change time was taken before the directory was read, and is the same after the names were looked
 * up, no name changed between. The clock may be coarse: two changes within a tick of a hundredth of a second, or within
 * the two seconds that some file systems count in, have the same time. So a directory is still only if its last change
 * is longer ago than that.
 *
 * <p>A file system of a network or a daemon may answer an old change time, so a directory there is never still.
 */
final class Stillness {
    /** In whole seconds, each rounded down. So the change is more than two seconds ago. */
    private static final long QUIET_SECONDS = 3;

    private final Fd directory;
    private final @Nullable Statx before;

    private Stillness(Fd directory, @Nullable Statx before) {
        this.directory = directory;
        this.before = before;
    }

    /**
     * That of a directory from now on, to be taken before the directory is read.
     *
     * @param now the state of the directory
     * @param nowSeconds seconds since 1970, taken before {@code now}
     */
    static Stillness of(Fd directory, Statx now, Durability durability, long nowSeconds) {
        boolean quiet = !durability.reportsLate() && nowSeconds - now.changeSeconds() >= QUIET_SECONDS;
        return new Stillness(directory, quiet ? now : null);
    }

    /** False if it is known already that {@link #lasts} will be false. */
    boolean isPossible() {
        return before != null;
    }

    /** True if no name of the directory has changed since before it was read, nor who may do what with it. */
    boolean lasts() {
        if (before == null) {
            return false;
        }
        try {
            Statx now = AttributeCalls.statx(directory, Statx.STATX_CTIME);
            return now.changeSeconds() == before.changeSeconds() && now.changeNanos() == before.changeNanos();
        } catch (ErrnoException e) {
            return false;
        }
    }
}
