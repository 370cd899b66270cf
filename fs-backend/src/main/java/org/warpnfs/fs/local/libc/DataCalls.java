package org.warpnfs.fs.local.libc;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.warpnfs.fs.local.libc.Libc.INT;
import static org.warpnfs.fs.local.libc.Libc.LONG;
import static org.warpnfs.fs.local.libc.Libc.POINTER;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** File contents: pread, pwrite, ftruncate, fallocate, lseek, copy_file_range, FICLONERANGE, fsync. */
public final class DataCalls {
    public static final int SEEK_SET = 0;
    public static final int SEEK_DATA = 3;
    public static final int SEEK_HOLE = 4;
    public static final int FALLOC_FL_KEEP_SIZE = 1;
    public static final int FALLOC_FL_PUNCH_HOLE = 2;

    /** _IOW(0x94, 13, struct file_clone_range). */
    private static final long FICLONERANGE = 0x4020_940dL;

    private static final MethodHandle PREAD = Libc.longFunction("pread", INT, POINTER, LONG, LONG);
    private static final MethodHandle PWRITE = Libc.longFunction("pwrite", INT, POINTER, LONG, LONG);
    private static final MethodHandle FTRUNCATE = Libc.intFunction("ftruncate", INT, LONG);
    private static final MethodHandle FALLOCATE = Libc.intFunction("fallocate", INT, INT, LONG, LONG);
    private static final MethodHandle LSEEK = Libc.longFunction("lseek", INT, LONG, INT);
    private static final MethodHandle COPY_FILE_RANGE =
            Libc.longFunction("copy_file_range", INT, POINTER, INT, POINTER, LONG, INT);
    private static final MethodHandle IOCTL = Libc.variadicIntFunction("ioctl", 2, INT, LONG, POINTER);
    private static final MethodHandle FSYNC = Libc.intFunction("fsync", INT);
    private static final MethodHandle FDATASYNC = Libc.intFunction("fdatasync", INT);
    private static final MethodHandle SYNCFS = Libc.intFunction("syncfs", INT);

    private DataCalls() {}

    /** A call that reads once. The result may be short; it is 0 where the file ends. */
    @FunctionalInterface
    public interface Read {
        long into(Fd fd, MemorySegment sink, long offset) throws ErrnoException;
    }

    /** Reads once into native memory. The result may be short. */
    public static long pread(Fd fd, MemorySegment sink, long offset) throws ErrnoException {
        MemorySegment state = CallMemory.current().state;
        while (true) {
            try {
                return Libc.check((long) PREAD.invokeExact(state, fd.number(), sink, sink.byteSize(), offset));
            } catch (Throwable e) {
                Libc.failUnlessInterrupted(e);
            }
        }
    }

    /**
     * Reads until the native memory is full or the file ends.
     *
     * @return number of bytes
     * @throws ErrnoException also if part of it was read
     */
    public static int readFully(Fd fd, MemorySegment sink, long offset) throws ErrnoException {
        return readFully(DataCalls::pread, fd, sink, offset);
    }

    /** Does the same by another call than pread. */
    public static int readFully(Read call, Fd fd, MemorySegment sink, long offset) throws ErrnoException {
        long done = 0;
        while (done < sink.byteSize()) {
            long count = call.into(fd, sink.asSlice(done), offset + done);
            if (count == 0) {
                break;
            }
            done += count;
        }
        return (int) done;
    }

    /** Writes once from native memory. The result may be short. */
    public static long pwrite(Fd fd, MemorySegment source, long offset) throws ErrnoException {
        MemorySegment state = CallMemory.current().state;
        while (true) {
            try {
                return Libc.check((long) PWRITE.invokeExact(state, fd.number(), source, source.byteSize(), offset));
            } catch (Throwable e) {
                Libc.failUnlessInterrupted(e);
            }
        }
    }

    public static void truncate(Fd fd, long sizeBytes) throws ErrnoException {
        MemorySegment state = CallMemory.current().state;
        while (true) {
            try {
                Libc.check((int) FTRUNCATE.invokeExact(state, fd.number(), sizeBytes));
                return;
            } catch (Throwable e) {
                Libc.failUnlessInterrupted(e);
            }
        }
    }

    public static void allocate(Fd fd, int mode, long offset, long lengthBytes) throws ErrnoException {
        MemorySegment state = CallMemory.current().state;
        while (true) {
            try {
                Libc.check((int) FALLOCATE.invokeExact(state, fd.number(), mode, offset, lengthBytes));
                return;
            } catch (Throwable e) {
                Libc.failUnlessInterrupted(e);
            }
        }
    }

    public static long seek(Fd fd, long offset, int whence) throws ErrnoException {
        MemorySegment state = CallMemory.current().state;
        try {
            return Libc.check((long) LSEEK.invokeExact(state, fd.number(), offset, whence));
        } catch (Throwable e) {
            throw Libc.failure(e);
        }
    }

    /** Copies within the kernel. The result may be short. */
    public static long copyRange(Fd from, long offset, Fd to, long targetOffset, long lengthBytes)
            throws ErrnoException {
        CallMemory memory = CallMemory.current();
        MemorySegment in = memory.small.asSlice(0, 8);
        MemorySegment out = memory.small.asSlice(8, 8);
        while (true) {
            in.set(JAVA_LONG, 0, offset);
            out.set(JAVA_LONG, 0, targetOffset);
            try {
                return Libc.check((long)
                        COPY_FILE_RANGE.invokeExact(memory.state, from.number(), in, to.number(), out, lengthBytes, 0));
            } catch (Throwable e) {
                Libc.failUnlessInterrupted(e);
            }
        }
    }

    /** Shares blocks: struct file_clone_range { s64 src_fd; u64 src_offset, src_length, dest_offset; }. */
    public static void cloneRange(Fd from, long offset, Fd to, long targetOffset, long lengthBytes)
            throws ErrnoException {
        CallMemory memory = CallMemory.current();
        MemorySegment range = memory.small;
        range.setAtIndex(JAVA_LONG, 0, from.number());
        range.setAtIndex(JAVA_LONG, 1, offset);
        range.setAtIndex(JAVA_LONG, 2, lengthBytes);
        range.setAtIndex(JAVA_LONG, 3, targetOffset);
        try {
            Libc.check((int) IOCTL.invokeExact(memory.state, to.number(), FICLONERANGE, range));
        } catch (Throwable e) {
            throw Libc.failure(e);
        }
    }

    public static void fsync(Fd fd) throws ErrnoException {
        sync(FSYNC, fd);
    }

    public static void fdatasync(Fd fd) throws ErrnoException {
        sync(FDATASYNC, fd);
    }

    /** Brings the whole file system of {@code fd} to its medium. */
    public static void syncFileSystem(Fd fd) throws ErrnoException {
        sync(SYNCFS, fd);
    }

    private static void sync(MethodHandle call, Fd fd) throws ErrnoException {
        MemorySegment state = CallMemory.current().state;
        while (true) {
            try {
                Libc.check((int) call.invokeExact(state, fd.number()));
                return;
            } catch (Throwable e) {
                Libc.failUnlessInterrupted(e);
            }
        }
    }
}
