package org.warpnfs.fs.local;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.warpnfs.fs.local.libc.Errno;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.FileSystemCalls;
import org.warpnfs.fs.local.libc.HandleCalls;
import org.warpnfs.fs.local.libc.KernelHandle;
import org.warpnfs.fs.local.libc.Statx;
import org.warpnfs.fs.spi.FsException;

/**
 * Makes the keys of a tree's files. The kernel's handle of a file contains the generation of its inode number. Any
 * process may ask for this handle, although few may open a file by it. Where there is no such handle, only the birth
 * distinguishes files. Then no file may be removed within the tick of its birth: see {@link #awaitTick}.
 */
final class FileKeys {
    /** Length of a tick of the kernel's clock at most (CONFIG_HZ=100). A birth is the time of the last tick. */
    private static final long TICK_NANOS = 10_000_000;

    private final long rootDevice;
    private final long rootSpace;

    /** Makes keys for the tree with this root. */
    FileKeys(Fd rootFd, Statx root) throws FsException {
        this.rootDevice = root.fileSystemDevice();
        this.rootSpace = space(rootFd);
    }

    /** The key of the open file that {@code statx} describes. */
    FileKey of(Fd file, Statx statx) throws FsException {
        return new FileKey(
                statx.fileSystemDevice() == rootDevice ? 0 : space(file),
                statx.inode(),
                statx.birthSeconds(),
                statx.birthNanos(),
                generation(file));
    }

    /** A key that is the same for one file through all trees of its superblock. */
    FileKey overAllTrees(FileKey key) {
        return key.space() == 0
                ? new FileKey(rootSpace, key.inode(), key.birthSeconds(), key.birthNanos(), key.generation())
                : key;
    }

    private static long space(Fd file) throws FsException {
        try {
            return FileSystemCalls.statfs(file).fileSystemId();
        } catch (ErrnoException e) {
            throw Failure.of(e);
        }
    }

    private static int generation(Fd file) throws FsException {
        try {
            KernelHandle handle = HandleCalls.handleOf(file);
            int generation = 31 * Arrays.hashCode(handle.bytes()) + handle.type();
            return generation == 0 ? 1 : generation;
        } catch (ErrnoException e) {
            return switch (e.errno()) {
                case Errno.EOPNOTSUPP, Errno.EOVERFLOW, Errno.EPERM, Errno.ENOSYS -> 0;
                default -> throw Failure.of(e);
            };
        }
    }

    /**
     * Waits until the tick of the file's birth is over, if the file has no generation. A file that gets the inode
     * number afterwards has another birth. The wait is at most twice {@value #TICK_NANOS} ns.
     */
    static void awaitTick(FileKey key) {
        if (key.generation() != 0) {
            return;
        }
        long bornNanos = TimeUnit.SECONDS.toNanos(key.birthSeconds()) + key.birthNanos();
        long ageNanos = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis()) - bornNanos;
        if (ageNanos >= 0 && ageNanos < 2 * TICK_NANOS) {
            try {
                TimeUnit.NANOSECONDS.sleep(2 * TICK_NANOS - ageNanos);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
