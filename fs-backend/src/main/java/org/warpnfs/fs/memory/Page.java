package org.warpnfs.fs.memory;

import static org.warpnfs.fs.memory.PageAllocator.PAGE_BYTES;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A page of a file's contents, and how many use it: the file, and each loan. A page with more than one user is not
 * written to.
 *
 * <p>A file adds users under its lock, so it knows that it is the only one if it holds the lock exclusively and counts
 * one. Loans leave at any time, without a lock.
 */
final class Page {
    private static final byte ZERO = 0;

    /** Memory that holds this page, and perhaps the page behind it. */
    private final MemorySegment slab;

    private final long slabOffset;
    private final MemorySegment bytes;
    private final AtomicInteger users = new AtomicInteger(1);

    Page(MemorySegment slab, long slabOffset) {
        this.slab = slab;
        this.slabOffset = slabOffset;
        this.bytes = slab.asSlice(slabOffset, PAGE_BYTES);
    }

    MemorySegment bytes() {
        return bytes;
    }

    void clear() {
        bytes.fill(ZERO);
    }

    /** True if this page lies in memory right behind the other. */
    boolean follows(Page other) {
        return slab.equals(other.slab) && slabOffset == other.slabOffset + PAGE_BYTES;
    }

    /** Memory from an offset in this page on; it may reach into pages that {@linkplain #follows follow}. */
    ByteBuffer buffer(int from, long lengthBytes) {
        return slab.asSlice(slabOffset + from, lengthBytes).asByteBuffer().asReadOnlyBuffer();
    }

    /** Begins the use of spare memory, by one user. */
    void begin() {
        users.set(1);
    }

    void addUser() {
        users.incrementAndGet();
    }

    /** Returns true if nobody uses the page any more; its memory may be used for another. */
    boolean removeUser() {
        return users.decrementAndGet() == 0;
    }

    boolean isShared() {
        return users.get() > 1;
    }
}
