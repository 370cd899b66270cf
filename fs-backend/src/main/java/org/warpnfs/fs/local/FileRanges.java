package org.warpnfs.fs.local;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.local.libc.AttributeCalls;
import org.warpnfs.fs.local.libc.DataCalls;
import org.warpnfs.fs.local.libc.Errno;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.FileSystemCalls;
import org.warpnfs.fs.local.libc.RangeCalls;
import org.warpnfs.fs.local.libc.Statx;
import org.warpnfs.fs.spi.CachedRange;

/**
 * Makes ranges of the files of one tree.
 *
 * <p>Each range has a descriptor of its own until it is closed. It counts in the budget of files, and there are at most
 * {@value #MAX_RANGES}, and a sixteenth of that budget. Beyond that, and where the kernel has no cachestat(2), a file
 * is read as before. So is a file of a file system that cannot tell which pages have been read, such as FUSE, NFS and
 * vfat.
 *
 * <p>On XFS sendfile(2) waits for whoever writes to the file, allocates or cuts it. preadv2(2) with RWF_NOWAIT does not
 * wait, so the probe fails while such a call runs, but another may begin before the bytes are sent. So a file is given
 * there only if it has not changed for {@value #QUIET_SECONDS} s: else an event loop, and all its connections, would
 * wait for its writers. Safe for many threads.
 */
final class FileRanges {
    private static final Logger LOG = LoggerFactory.getLogger(FileRanges.class);
    private static final int PAGE_BYTES = 4096;
    private static final int MAX_RANGES = 4096;
    private static final int BUDGET_PART = 16;
    private static final long TMPFS_MAGIC = 0x0102_1994L;
    private static final long RAMFS_MAGIC = 0x8584_58f6L;

    /** As the kernel reads ahead by default. What one read of the disk brings becomes readable together. */
    private static final int PROBE_BYTES = 128 << 10;

    /** How long the answer counts that was given when a range was made. Most are sent within that time. */
    private static final long FRESH_NANOS = 1_000_000;

    /** How long a file must not have changed, if its writers would be waited for. */
    static final long QUIET_SECONDS = 10;

    /** What the kernel says of the page cache. The methods are those of {@link RangeCalls}, and throw as they do. */
    interface PageCache {
        /** The kernel itself. */
        PageCache KERNEL = new PageCache() {
            @Override
            public long cachedPages(Fd file, long offset, int lengthBytes) throws ErrnoException {
                return RangeCalls.cachedPages(file, offset, lengthBytes);
            }

            @Override
            public void probe(Fd file, long offset) throws ErrnoException {
                RangeCalls.probe(file, offset);
            }

            @Override
            public long readCached(Fd file, MemorySegment sink, long offset) throws ErrnoException {
                return RangeCalls.readCached(file, sink, offset);
            }

            @Override
            public Fd duplicate(Fd file) throws ErrnoException {
                return RangeCalls.duplicate(file);
            }

            @Override
            public long fileSystemType(Fd file) throws ErrnoException {
                return FileSystemCalls.statfs(file).type();
            }

            @Override
            public long changeSeconds(Fd file) throws ErrnoException {
                return AttributeCalls.statx(file, Statx.STATX_CTIME).changeSeconds();
            }
        };

        long cachedPages(Fd file, long offset, int lengthBytes) throws ErrnoException;

        void probe(Fd file, long offset) throws ErrnoException;

        long readCached(Fd file, MemorySegment sink, long offset) throws ErrnoException;

        Fd duplicate(Fd file) throws ErrnoException;

        /** f_type of statfs(2). */
        long fileSystemType(Fd file) throws ErrnoException;

        /** When the file changed last, in seconds since 1970. */
        long changeSeconds(Fd file) throws ErrnoException;

        default long nowSeconds() {
            return TimeUnit.MILLISECONDS.toSeconds(System.currentTimeMillis());
        }

        default long nanoTime() {
            return System.nanoTime();
        }
    }

    /** What is known of a file's pages. */
    enum Pages {
        /** Some have to be read. */
        LACKING,
        /** All have been read, as a probe of each piece has shown. */
        PROBED,
        /** All are there. The file lies in memory, so that none is ever read. */
        IN_MEMORY
    }

    private final DescriptorBudget budget;
    private final PageCache pageCache;
    private final boolean waitsForWriters;
    private final int mostRanges;
    private final AtomicInteger open = new AtomicInteger();
    private volatile boolean usable;

    /** @param waitsForWriters whether sendfile(2) may wait for a call that changes the file */
    FileRanges(boolean wanted, boolean waitsForWriters, DescriptorBudget budget) {
        this(wanted, waitsForWriters, budget, PageCache.KERNEL);
    }

    FileRanges(boolean wanted, boolean waitsForWriters, DescriptorBudget budget, PageCache pageCache) {
        this.usable = wanted;
        this.budget = budget;
        this.pageCache = pageCache;
        this.waitsForWriters = waitsForWriters;
        this.mostRanges = Math.min(MAX_RANGES, budget.forFiles() / BUDGET_PART);
    }

    /** A range of an open file, if all of it is in the page cache and there may be another range. */
    Optional<CachedRange> range(Fd file, long offset, int lengthBytes) {
        long askedNanos = pageCache.nanoTime();
        Pages pages = usable ? look(file, offset, lengthBytes, true) : Pages.LACKING;
        if (pages == Pages.LACKING || !take()) {
            return Optional.empty();
        }
        Fd own = null;
        try {
            own = pageCache.duplicate(file);
        } catch (ErrnoException e) {
            // The process has no more descriptors. To read the data takes none.
            LOG.debug("no descriptor for a range: {}", e.getMessage());
        } finally {
            if (own == null) {
                closed();
            }
        }
        return own == null
                ? Optional.empty()
                : Optional.of(new LocalRange(this, own, offset, lengthBytes, pages, askedNanos));
    }

    private boolean take() {
        if (open.incrementAndGet() <= mostRanges && budget.tryTake()) {
            return true;
        }
        open.decrementAndGet();
        return false;
    }

    /** A range has been closed. */
    void closed() {
        budget.give();
        open.decrementAndGet();
    }

    /** Number of ranges that are not closed. */
    int open() {
        return open.get();
    }

    /** Does without ranges from now on. */
    void forgo(ErrnoException cause) {
        if (usable) {
            usable = false;
            LOG.info(
                    "file data are read before they are sent, since this file system or kernel cannot do without: {}",
                    cause.getMessage());
        }
    }

    /** Whether an answer of that time still counts. */
    boolean isFresh(long askedNanos) {
        return pageCache.nanoTime() - askedNanos < FRESH_NANOS;
    }

    /** Number of pages that a range touches; it is not empty. */
    static long pages(long offset, long lengthBytes) {
        return (offset + lengthBytes - 1) / PAGE_BYTES - offset / PAGE_BYTES + 1;
    }

    /**
     * True if the range is in memory.
     *
     * @param known what was found when the range was made
     */
    boolean isCached(Fd file, long offset, int lengthBytes, Pages known) {
        return look(file, offset, lengthBytes, known != Pages.IN_MEMORY) != Pages.LACKING;
    }

    /** True if the page cache has all pages of the range, even if some are still being read from the disk. */
    boolean hasPages(Fd file, long offset, int lengthBytes) {
        try {
            return pageCache.cachedPages(file, offset, lengthBytes) >= pages(offset, lengthBytes);
        } catch (ErrnoException e) {
            if (e.errno() == Errno.ENOSYS) {
                forgo(e);
            }
            return false;
        }
    }

    /**
     * Reads until the sink is full or the file ends.
     *
     * @param known what was found when the range was made
     * @throws ErrnoException EAGAIN if a page is still being read from the disk
     */
    int readCached(Fd file, MemorySegment sink, long offset, Pages known) throws ErrnoException {
        return known == Pages.IN_MEMORY
                ? DataCalls.readFully(file, sink, offset)
                : DataCalls.readFully(pageCache::readCached, file, sink, offset);
    }

    /**
     * cachestat(2) also counts pages that are still being read from the disk, so one byte of each piece is read without
     * waiting. tmpfs does not support that, and needs it not.
     *
     * @param probes false for a file that is known to lie in memory
     */
    private Pages look(Fd file, long offset, int lengthBytes, boolean probes) {
        if (!hasPages(file, offset, lengthBytes) || (waitsForWriters && !isQuiet(file))) {
            return Pages.LACKING;
        }
        if (!probes) {
            return Pages.IN_MEMORY;
        }
        try {
            for (long at = 0; at < lengthBytes; at += PROBE_BYTES) {
                pageCache.probe(file, offset + Math.min(lengthBytes, at + PROBE_BYTES) - 1);
            }
            return Pages.PROBED;
        } catch (ErrnoException e) {
            return e.errno() == Errno.EOPNOTSUPP && liesInMemory(file) ? Pages.IN_MEMORY : Pages.LACKING;
        }
    }

    /** A writer sets the change time under the lock for which sendfile(2) waits, before it writes. */
    private boolean isQuiet(Fd file) {
        try {
            return pageCache.nowSeconds() - pageCache.changeSeconds(file) > QUIET_SECONDS;
        } catch (ErrnoException e) {
            return false;
        }
    }

    private boolean liesInMemory(Fd file) {
        try {
            long type = pageCache.fileSystemType(file);
            return type == TMPFS_MAGIC || type == RAMFS_MAGIC;
        } catch (ErrnoException e) {
            return false;
        }
    }
}
