package org.warpnfs.fs.local;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.local.libc.Errno;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.RangeCalls;
import org.warpnfs.fs.spi.CachedRange;

/**
 * Makes ranges of the files of one tree.
 *
 * <p>Each range has a descriptor of its own until it is closed. It counts in the budget of files, and there are at most
 * {@value #MAX_RANGES}, and a sixteenth of that budget. Beyond that, and where the kernel has no cachestat(2), a file
 * is read as before. Safe for many threads.
 */
final class FileRanges {
    private static final Logger LOG = LoggerFactory.getLogger(FileRanges.class);
    private static final int PAGE_BYTES = 4096;
    private static final int MAX_RANGES = 4096;
    private static final int BUDGET_PART = 16;

    /** As the kernel reads ahead by default. What one read of the disk brings becomes readable together. */
    private static final int PROBE_BYTES = 128 << 10;

    private final DescriptorBudget budget;
    private final int mostRanges;
    private final AtomicInteger open = new AtomicInteger();
    private volatile boolean usable;
    private volatile boolean probes = true;

    FileRanges(boolean wanted, DescriptorBudget budget) {
        this.usable = wanted;
        this.budget = budget;
        this.mostRanges = Math.min(MAX_RANGES, budget.forFiles() / BUDGET_PART);
    }

    /** A range of an open file, if all of it is in the page cache and there may be another range. */
    Optional<CachedRange> range(Fd file, long offset, int lengthBytes) throws ErrnoException {
        if (!usable || !isCached(file, offset, lengthBytes) || !take()) {
            return Optional.empty();
        }
        boolean made = false;
        try {
            Optional<CachedRange> range =
                    Optional.of(new LocalRange(this, RangeCalls.duplicate(file), offset, lengthBytes));
            made = true;
            return range;
        } finally {
            if (!made) {
                closed();
            }
        }
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

    /**
     * True if the range is in memory. cachestat(2) also counts pages that are still being read from the disk, so one
     * byte of each piece is read without waiting. A file system in memory (tmpfs) does not support that, and needs it
     * not.
     */
    boolean isCached(Fd file, long offset, int lengthBytes) {
        long first = offset / PAGE_BYTES;
        long last = (offset + lengthBytes - 1) / PAGE_BYTES;
        try {
            if (RangeCalls.cachedPages(file, offset, lengthBytes) < last - first + 1) {
                return false;
            }
            for (long at = Math.min(lengthBytes, PROBE_BYTES); probes; at = Math.min(lengthBytes, at + PROBE_BYTES)) {
                RangeCalls.probe(file, offset + at - 1);
                if (at == lengthBytes) {
                    break;
                }
            }
            return true;
        } catch (ErrnoException e) {
            switch (e.errno()) {
                case Errno.EOPNOTSUPP -> {
                    probes = false;
                    return true;
                }
                case Errno.ENOSYS -> {
                    forgo(e);
                    return false;
                }
                default -> {
                    return false;
                }
            }
        }
    }
}
