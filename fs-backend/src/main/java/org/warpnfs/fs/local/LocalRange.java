package org.warpnfs.fs.local;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.warpnfs.fs.local.libc.AttributeCalls;
import org.warpnfs.fs.local.libc.DataCalls;
import org.warpnfs.fs.local.libc.Errno;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.RangeCalls;
import org.warpnfs.fs.spi.CachedRange;

/**
 * A range of a file of a {@link LocalFileSystem}.
 *
 * <h2>Buffers</h2>
 *
 * Owns a descriptor, which is closed after {@link #close()} when the last call has returned.
 */
final class LocalRange implements CachedRange {
    private final FileRanges ranges;
    private final Fd file;
    private final long offset;
    private final int lengthBytes;
    private final FileRanges.Pages pages;
    private final long askedNanos;
    private final UseCount users = new UseCount();

    /**
     * @param file belongs to this object from now on
     * @param pages how they were found
     * @param askedNanos when
     */
    LocalRange(FileRanges ranges, Fd file, long offset, int lengthBytes, FileRanges.Pages pages, long askedNanos) {
        this.ranges = ranges;
        this.file = file;
        this.offset = offset;
        this.lengthBytes = lengthBytes;
        this.pages = pages;
        this.askedNanos = askedNanos;
    }

    @Override
    public int lengthBytes() {
        return lengthBytes;
    }

    /** That of the tree, even if other file systems are mounted in it. */
    @Override
    public Object store() {
        return ranges;
    }

    @Override
    public boolean isCached(int from, int length) {
        if (!users.enter()) {
            return false;
        }
        try {
            return ranges.isFresh(askedNanos) || ranges.isCached(file, offset + from, length, pages);
        } finally {
            leave();
        }
    }

    @Override
    public int read(int from, ByteBuffer sink) throws IOException {
        return with(() -> {
            int wanted = Math.min(sink.remaining(), lengthBytes - from);
            if (sink.isDirect()) {
                int got = DataCalls.readFully(file, MemorySegment.ofBuffer(sink).asSlice(0, wanted), offset + from);
                sink.position(sink.position() + got);
                return got;
            }
            ByteBuffer copy = ByteBuffer.allocateDirect(wanted);
            int got = DataCalls.readFully(file, MemorySegment.ofBuffer(copy), offset + from);
            sink.put(copy.limit(got));
            return got;
        });
    }

    @Override
    public int tryRead(int from, ByteBuffer sink) throws IOException {
        if (!sink.isDirect()) {
            return CachedRange.super.tryRead(from, sink);
        }
        return with(() -> {
            int wanted = Math.min(sink.remaining(), lengthBytes - from);
            if (!ranges.isFresh(askedNanos) && !ranges.hasPages(file, offset + from, wanted)) {
                return WOULD_WAIT;
            }
            try {
                MemorySegment there = MemorySegment.ofBuffer(sink).asSlice(0, wanted);
                int got = ranges.readCached(file, there, offset + from, pages);
                sink.position(sink.position() + got);
                return got;
            } catch (ErrnoException e) {
                if (e.errno() == Errno.EAGAIN) {
                    return WOULD_WAIT;
                }
                throw e;
            }
        });
    }

    @Override
    public int sendTo(int socket, int from, int length) throws IOException {
        return with(() -> {
            try {
                return (int) RangeCalls.send(socket, file, offset + from, length);
            } catch (ErrnoException e) {
                switch (e.errno()) {
                    case Errno.EAGAIN -> {
                        return SOCKET_FULL;
                    }
                    case Errno.EINVAL, Errno.EOPNOTSUPP, Errno.ENOSYS -> ranges.forgo(e);
                    default -> {}
                }
                throw e;
            }
        });
    }

    private int with(Use use) throws IOException {
        if (!users.enter()) {
            throw new IOException("a range of a file is used after its end");
        }
        try {
            return use.run();
        } catch (ErrnoException e) {
            throw new IOException("a range of a file cannot be sent: " + e.getMessage(), e);
        } finally {
            leave();
        }
    }

    private void leave() {
        if (users.leave()) {
            closeFile();
        }
    }

    @Override
    public void close() {
        if (users.close()) {
            closeFile();
        }
    }

    /** The last descriptor of a file without a name frees its blocks when it is closed, which may take long. */
    private void closeFile() {
        if (AttributeCalls.hasName(file)) {
            closeNow();
        } else {
            SlowCloses.later(this::closeNow);
        }
    }

    private void closeNow() {
        file.close();
        ranges.closed();
    }

    private interface Use {
        int run() throws ErrnoException;
    }
}
