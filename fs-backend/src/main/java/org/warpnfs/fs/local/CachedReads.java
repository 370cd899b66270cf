package org.warpnfs.fs.local;

import java.lang.foreign.MemorySegment;
import org.warpnfs.fs.local.libc.AttributeCalls;
import org.warpnfs.fs.local.libc.DataCalls;
import org.warpnfs.fs.local.libc.Errno;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.RangeCalls;
import org.warpnfs.fs.spi.OpenFile;

/**
 * Reads that the page cache answers, so that the calling thread does not wait for a disk.
 *
 * <p>cachestat(2) says first whether all pages are there, since preadv2(2) with RWF_NOWAIT begins to read those that
 * are not, and may wait for the file system's own blocks then. RWF_NOWAIT leaves out pages that are there but still
 * being read. tmpfs does not support it, and has no such pages. Safe for many threads.
 */
final class CachedReads {
    private final boolean usable;
    private final boolean inMemory;
    private volatile boolean supported = true;

    /**
     * @param usable whether the file system is known to answer from memory what is in memory; not so for one that asks
     *     another host or process
     * @param inMemory whether the file system is tmpfs
     */
    CachedReads(boolean usable, boolean inMemory) {
        this.usable = usable;
        this.inMemory = inMemory;
    }

    /** True if attributes of an open file never have to be asked from another host or process. */
    boolean areUsable() {
        return usable;
    }

    /**
     * Fills the sink, or reads to the end of the file.
     *
     * @return number of bytes read, or {@link OpenFile#WOULD_WAIT}
     */
    int read(Fd fd, MemorySegment sink, long offset) throws ErrnoException {
        if (!usable || !supported) {
            return OpenFile.WOULD_WAIT;
        }
        long lengthBytes = cachedBytes(fd, sink.byteSize(), offset);
        if (lengthBytes < 0) {
            return OpenFile.WOULD_WAIT;
        }
        try {
            MemorySegment there = sink.asSlice(0, lengthBytes);
            return inMemory
                    ? DataCalls.readFully(fd, there, offset)
                    : DataCalls.readFully(RangeCalls::readCached, fd, there, offset);
        } catch (ErrnoException e) {
            switch (e.errno()) {
                case Errno.EAGAIN -> {
                    return OpenFile.WOULD_WAIT;
                }
                case Errno.EOPNOTSUPP -> {
                    supported = false;
                    return OpenFile.WOULD_WAIT;
                }
                default -> throw e;
            }
        }
    }

    /** How much may be read: up to the end of the file, if it ends within the range; -1 if a page is not there. */
    private long cachedBytes(Fd fd, long wanted, long offset) {
        try {
            long cached = RangeCalls.cachedPages(fd, offset, wanted);
            if (cached >= FileRanges.pages(offset, wanted)) {
                return wanted;
            }
            long rest = Math.clamp(AttributeCalls.statx(fd).sizeBytes() - offset, 0, wanted);
            return rest == 0 || cached >= FileRanges.pages(offset, rest) ? rest : -1;
        } catch (ErrnoException e) {
            if (e.errno() == Errno.ENOSYS) {
                supported = false;
            }
            // Among others EPERM: since Linux 6.13 a server without privileges is told of its own files only.
            return -1;
        }
    }
}
