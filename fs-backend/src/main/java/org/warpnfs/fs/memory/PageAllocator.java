package org.warpnfs.fs.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;

/**
 * Pages of memory outside of the Java heap, zeroed when handed out.
 *
 * <h2>Operation</h2>
 *
 * Memory is taken from the system in slabs. A slab lives until none of its pages is reachable. Pages that were given
 * back are reused first. Pages of a new slab are handed out in ascending order, so that a file that is written from its
 * start to its end lies in long runs of memory. Safe for many threads.
 *
 * <h2>Buffers</h2>
 *
 * A page belongs to its users until the last of them is gone, and must not be touched afterwards. {@link Space} is
 * charged for it while it is part of a file. A page that is lent is charged to what may be lent, once for each loan. So
 * pages that files have given up while they are lent are bounded too.
 *
 * <h2>Errors</h2>
 *
 * NO_SPACE if the capacity is used up or the host has no memory.
 */
final class PageAllocator {
    static final int PAGE_BYTES_LOG2 = 14;
    static final int PAGE_BYTES = 1 << PAGE_BYTES_LOG2;

    private static final int PAGES_PER_SLAB = 64;

    /** Takes memory from the host. */
    interface Host {
        /** The memory of this process, outside of the heap. It is given back when nobody can reach it any more. */
        Host OWN = bytes -> Arena.ofAuto().allocate(bytes, 4096);

        /** Returns so many bytes, all zero. Throws OutOfMemoryError if there is no memory. */
        MemorySegment take(long bytes);
    }

    private final Host host;
    private final Space space;
    private final Space lent;
    private final ArrayDeque<Page> spare = new ArrayDeque<>();

    /** @param lent the most that may be lent at one time */
    PageAllocator(Space space, Space lent, Host host) {
        this.host = host;
        this.space = space;
        this.lent = lent;
    }

    /** Charges the capacity for {@code pages}. {@link #takeReserved} then hands out each of them. */
    void reserve(long pages) throws FsException {
        if (pages > space.capacity() >>> PAGE_BYTES_LOG2) {
            throw FsException.of(FsError.NO_SPACE);
        }
        space.take(pages << PAGE_BYTES_LOG2);
    }

    /** Gives back a reservation from which no page was taken. */
    void unreserve(long pages) {
        space.giveBack(pages << PAGE_BYTES_LOG2);
    }

    /** A page of zeroes, of which the capacity has been charged. */
    Page takeReserved() throws FsException {
        Page page;
        synchronized (spare) {
            page = spare.pollLast();
            if (page == null) {
                addSlab();
                return spare.removeLast();
            }
        }
        page.begin();
        page.clear();
        return page;
    }

    /** Charges the capacity for {@code count} pages, and takes them. A long wait for the host must hold no lock. */
    Supply supply(long count) throws FsException {
        reserve(count);
        Supply supply = new Supply();
        long left = count;
        try {
            for (; left > 0; left--) {
                supply.pages.add(takeReserved());
            }
            return supply;
        } finally {
            if (left > 0) {
                unreserve(left);
                supply.close();
            }
        }
    }

    /** Pages of zeroes for one file, taken before it is locked. Close gives back those that it did not need. */
    final class Supply implements AutoCloseable {
        private final ArrayDeque<Page> pages = new ArrayDeque<>();

        private Supply() {}

        int count() {
            return pages.size();
        }

        /** The next page, which belongs to the caller then; null if there is none. */
        @Nullable
        Page poll() {
            return pages.poll();
        }

        @Override
        public void close() {
            for (Page page = poll(); page != null; page = poll()) {
                giveBack(page);
            }
        }
    }

    private void addSlab() throws FsException {
        MemorySegment slab;
        try {
            slab = host.take((long) PAGES_PER_SLAB * PAGE_BYTES);
        } catch (OutOfMemoryError e) {
            throw FsException.of(FsError.NO_SPACE, "the host has no memory for " + PAGES_PER_SLAB + " pages more");
        }
        for (int i = PAGES_PER_SLAB - 1; i >= 0; i--) {
            spare.addLast(new Page(slab, (long) i * PAGE_BYTES));
        }
    }

    /** A page with the same bytes, which takes the place of a shared one in its file. The old one loses the file. */
    Page unshared(Page shared) throws FsException {
        Page copy = takeReserved();
        copy.bytes().copyFrom(shared.bytes());
        leave(shared);
        return copy;
    }

    /** A file gives up a page. */
    void giveBack(Page page) {
        leave(page);
        unreserve(1);
    }

    /** Charges a loan of so many pages. Returns false if too much is lent. */
    boolean reserveLoan(int pages) {
        return lent.tryTake((long) pages << PAGE_BYTES_LOG2);
    }

    /** A loan ends. */
    void endLoan(List<Page> pages, int charged) {
        try {
            // The last one first, so that they are handed out again in ascending order.
            for (int i = pages.size() - 1; i >= 0; i--) {
                leave(pages.get(i));
            }
        } finally {
            lent.giveBack((long) charged << PAGE_BYTES_LOG2);
        }
    }

    private void leave(Page page) {
        if (page.removeUser()) {
            synchronized (spare) {
                spare.addLast(page);
            }
        }
    }

    void dropSpares() {
        synchronized (spare) {
            spare.clear();
        }
    }
}
