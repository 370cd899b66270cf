package org.warpnfs.fs.local.libc;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.warpnfs.fs.local.libc.Libc.INT;
import static org.warpnfs.fs.local.libc.Libc.POINTER;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Properties of a file system: fstatfs, fpathconf. */
public final class FileSystemCalls {
    private static final int PC_LINK_MAX = 0;

    private static final MethodHandle FSTATFS = Libc.intFunction("fstatfs", INT, POINTER);
    private static final MethodHandle FPATHCONF = Libc.longFunction("fpathconf", INT, INT);

    private FileSystemCalls() {}

    /**
     * Space, files and kind. struct statfs on 64-bit machines: eleven longs (f_type, f_bsize, f_blocks, f_bfree,
     * f_bavail, f_files, f_ffree, f_fsid as two ints, f_namelen, f_frsize, f_flags), then spare.
     */
    public static Statfs statfs(Fd fd) throws ErrnoException {
        CallMemory memory = CallMemory.current();
        MemorySegment out = memory.small;
        try {
            Libc.check((int) FSTATFS.invokeExact(memory.state, fd.number(), out));
        } catch (Throwable e) {
            throw Libc.failure(e);
        }
        long blockBytes =
                out.getAtIndex(JAVA_LONG, 9) != 0 ? out.getAtIndex(JAVA_LONG, 9) : out.getAtIndex(JAVA_LONG, 1);
        return new Statfs(
                out.getAtIndex(JAVA_LONG, 0),
                blockBytes,
                out.getAtIndex(JAVA_LONG, 2),
                out.getAtIndex(JAVA_LONG, 3),
                out.getAtIndex(JAVA_LONG, 4),
                out.getAtIndex(JAVA_LONG, 5),
                out.getAtIndex(JAVA_LONG, 6),
                out.getAtIndex(JAVA_LONG, 7),
                out.getAtIndex(JAVA_LONG, 8));
    }

    /** The most names that a file can have on this file system, or -1 if that is unknown. */
    public static long maxLinks(Fd fd) {
        try {
            return (long) FPATHCONF.invokeExact(CallMemory.current().state, fd.number(), PC_LINK_MAX);
        } catch (Throwable e) {
            throw Libc.broken(e);
        }
    }

    /**
     * Result of fstatfs. Numbers of blocks are in units of {@code blockBytes}. {@code fileSystemId} is f_fsid; each
     * subvolume of btrfs has its own.
     */
    public record Statfs(
            long type,
            long blockBytes,
            long blocks,
            long freeBlocks,
            long availableBlocks,
            long files,
            long freeFiles,
            long fileSystemId,
            long maxNameBytes) {}
}
