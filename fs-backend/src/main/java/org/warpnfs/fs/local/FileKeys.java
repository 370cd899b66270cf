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
 * Makes the keys of a tree's files. The kernel's handle of a file, which anyone may ask for although few may open by
 * it, holds the generation of its inode number. Where there is none, birth alone tells files apart, so that none may go
 * within the tick it was born in: see {@link #awaitTick}.
 */
final class FileKeys {
    /** Births are those of the last tick of the kernel's clock, at most so long ago (CONFIG_HZ=100). */
    private static final long TICK_NANOS = 10_000_000;

    private final long rootDevice;
    private final long rootSpace;

    /** Of the tree with this root. */
    FileKeys(Fd rootFd, Statx root) throws FsException {
        this.rootDevice = root.fileSystemDevice();
        this.rootSpace = space(rootFd);
    }

    /** Of an open file that is as {@code statx} says. */
    FileKey of(Fd file, Statx statx) throws FsException {
        return new FileKey(
                statx.fileSystemDevice() == rootDevice ? 0 : space(file),
                statx.inode(),
                statx.birthSeconds(),
                statx.birthNanos(),
                generation(file));
    }

    /** The same for one file whatever tree of its superblock it was reached through. */
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
     * Waits, if the file has no generation, until the tick it was born in is over, at most {@value #TICK_NANOS} ns:
     * whatever gets its inode number after it then has another birth.
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
