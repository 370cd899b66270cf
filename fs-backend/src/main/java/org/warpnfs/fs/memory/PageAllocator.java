package org.warpnfs.fs.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;

/**
 * Pages of memory outside of the Java heap, zeroed when handed out.
 *
 * <h2>Operation</h2>
 *
 * Memory is taken from the system in slabs. A slab lives until none of its pages is reachable. Pages that were given
 * back are reused first. Safe for many threads.
 *
 * <h2>Buffers</h2>
 *
 * A page belongs to its user until it is given back, and must not be touched afterwards. {@link Space} is charged for
 * it meanwhile.
 *
 * <h2>Errors</h2>
 *
 * NO_SPACE if the capacity is used up or the host has no memory.
 */
final class PageAllocator {
    static final int PAGE_BYTES_LOG2 = 14;
    static final int PAGE_BYTES = 1 << PAGE_BYTES_LOG2;

    private static final int PAGES_PER_SLAB = 64;

    private final Space space;
    private final ArrayDeque<MemorySegment> spare = new ArrayDeque<>();

    PageAllocator(Space space) {
        this.space = space;
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

    MemorySegment takeReserved() throws FsException {
        MemorySegment page;
        synchronized (spare) {
            page = spare.pollLast();
            if (page == null) {
                addSlab();
                page = spare.removeLast();
                return page;
            }
        }
        return page.fill((byte) 0);
    }

    private void addSlab() throws FsException {
        MemorySegment slab;
        try {
            slab = Arena.ofAuto().allocate((long) PAGES_PER_SLAB * PAGE_BYTES, 4096);
        } catch (OutOfMemoryError e) {
            throw FsException.of(FsError.NO_SPACE, "the host has no memory for " + PAGES_PER_SLAB + " pages more");
        }
        for (int i = 0; i < PAGES_PER_SLAB; i++) {
            spare.addLast(slab.asSlice((long) i * PAGE_BYTES, PAGE_BYTES));
        }
    }

    void giveBack(MemorySegment page) {
        synchronized (spare) {
            spare.addLast(page);
        }
        unreserve(1);
    }

    void dropSpares() {
        synchronized (spare) {
            spare.clear();
        }
    }
}
