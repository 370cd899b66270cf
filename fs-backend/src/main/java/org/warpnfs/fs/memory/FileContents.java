package org.warpnfs.fs.memory;

import static org.warpnfs.fs.memory.PageAllocator.PAGE_BYTES;
import static org.warpnfs.fs.memory.PageAllocator.PAGE_BYTES_LOG2;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.LentPages;

/**
 * The bytes of one file, stored sparsely. Pages that were never written are absent and read as zeroes, so a file takes
 * the memory of what was written, not of its length.
 *
 * <p>A page that is lent is not written to: a copy takes its place in the file first.
 *
 * <p>Pages are kept in leaves of {@value #PAGES_PER_LEAF}, ordered by offset. Bytes of a page beyond the file's length
 * are zero. Not thread-safe: the inode's lock guards it.
 */
final class FileContents {
    private static final int PAGES_PER_LEAF_LOG2 = 8;
    private static final int PAGES_PER_LEAF = 1 << PAGES_PER_LEAF_LOG2;
    private static final byte ZERO = 0;

    private final PageAllocator allocator;
    private final TreeMap<Long, Leaf> leaves = new TreeMap<>();
    private long sizeBytes;
    private long pages;

    FileContents(PageAllocator allocator) {
        this.allocator = allocator;
    }

    long sizeBytes() {
        return sizeBytes;
    }

    long usedBytes() {
        return pages << PAGE_BYTES_LOG2;
    }

    int read(ByteBuffer sink, long offset) {
        if (offset >= sizeBytes) {
            return 0;
        }
        int length = (int) Math.min(sink.remaining(), sizeBytes - offset);
        MemorySegment to = MemorySegment.ofBuffer(sink);
        int done = 0;
        while (done < length) {
            long at = offset + done;
            int within = (int) (at & (PAGE_BYTES - 1));
            int step = Math.min(length - done, PAGE_BYTES - within);
            Page page = page(at >>> PAGE_BYTES_LOG2);
            if (page == null) {
                to.asSlice(done, step).fill(ZERO);
            } else {
                MemorySegment.copy(page.bytes(), within, to, done, step);
            }
            done += step;
        }
        sink.position(sink.position() + length);
        return length;
    }

    /**
     * Lends at most {@code lengthBytes}.
     *
     * @return empty if the file ends before them, or too much is lent
     */
    Optional<LentPages> lend(long offset, int lengthBytes) {
        if (offset >= sizeBytes) {
            return Optional.empty();
        }
        int length = (int) Math.min(lengthBytes, sizeBytes - offset);
        int charged = (int) (((offset + length - 1) >>> PAGE_BYTES_LOG2) - (offset >>> PAGE_BYTES_LOG2)) + 1;
        // Made before anything is reserved: the heap may have no room for it.
        Loan.Lending lending = new Loan.Lending(allocator, charged);
        if (!allocator.reserveLoan(charged)) {
            return Optional.empty();
        }
        boolean isLent = false;
        try {
            for (int done = 0; done < length; ) {
                long at = offset + done;
                int within = (int) (at & (PAGE_BYTES - 1));
                int step = Math.min(length - done, PAGE_BYTES - within);
                lending.add(page(at >>> PAGE_BYTES_LOG2), within, step);
                done += step;
            }
            Optional<LentPages> loan = Optional.of(lending.end());
            isLent = true;
            return loan;
        } finally {
            if (!isLent) {
                lending.abandon();
            }
        }
    }

    /** Writes all of {@code source}, or throws FILE_TOO_BIG or NO_SPACE and writes nothing. */
    void write(ByteBuffer source, long offset) throws FsException {
        int length = source.remaining();
        if (length == 0) {
            return;
        }
        long end = end(offset, length);
        addPages(offset, end, null);
        unshare(offset >>> PAGE_BYTES_LOG2, (end - 1) >>> PAGE_BYTES_LOG2);
        MemorySegment from = MemorySegment.ofBuffer(source);
        int done = 0;
        while (done < length) {
            long at = offset + done;
            int within = (int) (at & (PAGE_BYTES - 1));
            int step = Math.min(length - done, PAGE_BYTES - within);
            Page page = page(at >>> PAGE_BYTES_LOG2);
            if (page == null) {
                throw new AssertionError("page at " + at + " was added and is not there");
            }
            MemorySegment.copy(from, done, page.bytes(), within, step);
            done += step;
        }
        source.position(source.limit());
        sizeBytes = Math.max(sizeBytes, end);
    }

    /** How many pages {@link #allocate} would add. FILE_TOO_BIG if the range ends beyond all offsets. */
    long missingPages(long offset, long lengthBytes) throws FsException {
        return missing(offset >>> PAGE_BYTES_LOG2, (end(offset, lengthBytes) - 1) >>> PAGE_BYTES_LOG2);
    }

    /**
     * Adds the missing pages of a range that is not empty.
     *
     * @param supply is used first; it has too few if others have made holes since
     */
    void allocate(long offset, long lengthBytes, PageAllocator.Supply supply) throws FsException {
        long end = end(offset, lengthBytes);
        addPages(offset, end, supply);
        sizeBytes = Math.max(sizeBytes, end);
    }

    /** Throws NO_SPACE if the host has no memory for a page in place of a lent one, and changes nothing. */
    void setSize(long newSizeBytes) throws FsException {
        if (newSizeBytes < sizeBytes) {
            zero(newSizeBytes, sizeBytes);
        }
        sizeBytes = newSizeBytes;
    }

    /** Makes a hole of the part of the range that is within the file. Throws NO_SPACE as {@link #setSize} does. */
    void deallocate(long offset, long lengthBytes) throws FsException {
        if (offset < sizeBytes) {
            zero(offset, lengthBytes > sizeBytes - offset ? sizeBytes : offset + lengthBytes);
        }
    }

    long seekData(long offset) throws FsException {
        long first = offset >>> PAGE_BYTES_LOG2;
        if (offset < sizeBytes) {
            for (Map.Entry<Long, Leaf> entry :
                    leaves.tailMap(first >>> PAGES_PER_LEAF_LOG2, true).entrySet()) {
                long base = entry.getKey() << PAGES_PER_LEAF_LOG2;
                int slot = entry.getValue().nextTaken((int) Math.max(0, first - base));
                if (slot >= 0) {
                    return Math.max(offset, (base + slot) << PAGE_BYTES_LOG2);
                }
            }
        }
        throw FsException.of(FsError.NO_DEVICE);
    }

    long seekHole(long offset) throws FsException {
        if (offset >= sizeBytes) {
            throw FsException.of(FsError.NO_DEVICE);
        }
        long index = offset >>> PAGE_BYTES_LOG2;
        long last = (sizeBytes - 1) >>> PAGE_BYTES_LOG2;
        while (index <= last && page(index) != null) {
            index++;
        }
        return index > last ? sizeBytes : Math.max(offset, index << PAGE_BYTES_LOG2);
    }

    void release() {
        drop(0, Long.MAX_VALUE >>> PAGE_BYTES_LOG2);
        sizeBytes = 0;
    }

    private static long end(long offset, long lengthBytes) throws FsException {
        if (lengthBytes > Long.MAX_VALUE - offset) {
            throw FsException.of(FsError.FILE_TOO_BIG);
        }
        return offset + lengthBytes;
    }

    private @Nullable Page page(long index) {
        Leaf leaf = leaves.get(index >>> PAGES_PER_LEAF_LOG2);
        return leaf == null ? null : leaf.get((int) (index & (PAGES_PER_LEAF - 1)));
    }

    private long missing(long first, long last) {
        return last - first + 1 - countPages(first, last);
    }

    /**
     * Adds every missing page between {@code offset} and {@code end}. If it throws, the pages that it has added are all
     * zero, so the contents are unchanged.
     *
     * @param supply pages that are there already; null if none are
     */
    private void addPages(long offset, long end, PageAllocator.@Nullable Supply supply) throws FsException {
        long first = offset >>> PAGE_BYTES_LOG2;
        long missing = missing(first, (end - 1) >>> PAGE_BYTES_LOG2);
        if (missing == 0) {
            return;
        }
        long reserved = Math.max(0, missing - (supply == null ? 0 : supply.count()));
        allocator.reserve(reserved);
        try {
            for (long index = first; missing > 0; index++) {
                Leaf leaf = leaves.computeIfAbsent(index >>> PAGES_PER_LEAF_LOG2, key -> new Leaf());
                int slot = (int) (index & (PAGES_PER_LEAF - 1));
                if (leaf.get(slot) == null) {
                    Page page = supply == null ? null : supply.poll();
                    if (page == null) {
                        page = allocator.takeReserved();
                        reserved--;
                    }
                    leaf.put(slot, page);
                    missing--;
                    pages++;
                }
            }
        } catch (FsException | RuntimeException | Error e) {
            allocator.unreserve(reserved);
            throw e;
        }
    }

    /** Puts copies in the place of pages that are lent, so that they can be written to. */
    private void unshare(long first, long last) throws FsException {
        for (long index = first; index <= last; index++) {
            Leaf leaf = leaves.get(index >>> PAGES_PER_LEAF_LOG2);
            int slot = (int) (index & (PAGES_PER_LEAF - 1));
            Page page = leaf == null ? null : leaf.get(slot);
            if (leaf != null && page != null && page.isShared()) {
                leaf.replace(slot, allocator.unshared(page));
            }
        }
    }

    private long countPages(long first, long last) {
        long count = 0;
        for (Map.Entry<Long, Leaf> entry : leaves.subMap(
                        first >>> PAGES_PER_LEAF_LOG2, true, last >>> PAGES_PER_LEAF_LOG2, true)
                .entrySet()) {
            long base = entry.getKey() << PAGES_PER_LEAF_LOG2;
            int from = (int) Math.max(0, first - base);
            int to = (int) Math.min(PAGES_PER_LEAF - 1, last - base);
            count += entry.getValue().countTaken(from, to);
        }
        return count;
    }

    /** Zeroes from {@code offset} to {@code end}. Pages that are wholly within the range are given back. */
    private void zero(long offset, long end) throws FsException {
        if (offset >= end) {
            return;
        }
        // Bytes beyond the end of the file are zero anyway, so the last page can be given back whole.
        long wholeEnd = end == sizeBytes ? ((end - 1) >>> PAGE_BYTES_LOG2) + 1 : end >>> PAGE_BYTES_LOG2;
        long wholeStart = (offset >>> PAGE_BYTES_LOG2) + ((offset & (PAGE_BYTES - 1)) == 0 ? 0 : 1);
        if (wholeStart > wholeEnd) {
            unshareAt(offset);
            clear(offset, end);
            return;
        }
        boolean clearsEnd = wholeEnd << PAGE_BYTES_LOG2 < end && end != sizeBytes;
        if (offset < startBytes(wholeStart, end)) {
            unshareAt(offset);
        }
        if (clearsEnd) {
            unshareAt(end);
        }
        clear(offset, startBytes(wholeStart, end));
        if (clearsEnd) {
            clear(wholeEnd << PAGE_BYTES_LOG2, end);
        }
        if (wholeStart < wholeEnd) {
            drop(wholeStart, wholeEnd - 1);
        }
    }

    /** Where a page begins; {@code end} for the page behind the last possible offset. */
    private static long startBytes(long page, long end) {
        return page > Long.MAX_VALUE >>> PAGE_BYTES_LOG2 ? end : page << PAGE_BYTES_LOG2;
    }

    private void unshareAt(long offset) throws FsException {
        unshare(offset >>> PAGE_BYTES_LOG2, offset >>> PAGE_BYTES_LOG2);
    }

    /** Zeroes a range within one page, which is not lent. */
    private void clear(long offset, long end) {
        Page page = page(offset >>> PAGE_BYTES_LOG2);
        if (page != null && offset < end) {
            page.bytes().asSlice(offset & (PAGE_BYTES - 1), end - offset).fill(ZERO);
        }
    }

    /** Gives pages back, the last one first, so that they are handed out again in ascending order. */
    private void drop(long first, long last) {
        Iterator<Map.Entry<Long, Leaf>> found = leaves.subMap(
                        first >>> PAGES_PER_LEAF_LOG2, true, last >>> PAGES_PER_LEAF_LOG2, true)
                .descendingMap()
                .entrySet()
                .iterator();
        while (found.hasNext()) {
            Map.Entry<Long, Leaf> entry = found.next();
            long base = entry.getKey() << PAGES_PER_LEAF_LOG2;
            Leaf leaf = entry.getValue();
            int from = (int) Math.max(0, first - base);
            for (int slot = (int) Math.min(PAGES_PER_LEAF - 1, last - base); slot >= from; slot--) {
                Page page = leaf.remove(slot);
                if (page != null) {
                    allocator.giveBack(page);
                    pages--;
                }
            }
            if (leaf.taken == 0) {
                found.remove();
            }
        }
    }

    /** An array of page slots that grows with the highest slot used. */
    private static final class Leaf {
        private @Nullable Page[] slots = new @Nullable Page[2];
        private int taken;

        @Nullable
        Page get(int slot) {
            return slot < slots.length ? slots[slot] : null;
        }

        void put(int slot, Page page) {
            if (slot >= slots.length) {
                slots = Arrays.copyOf(slots, Math.max(2, Integer.highestOneBit(slot) << 1));
            }
            slots[slot] = page;
            taken++;
        }

        /** Puts a page where there is one. */
        void replace(int slot, Page page) {
            slots[slot] = page;
        }

        @Nullable
        Page remove(int slot) {
            Page page = get(slot);
            if (page != null) {
                slots[slot] = null;
                taken--;
            }
            return page;
        }

        int countTaken(int from, int to) {
            int count = 0;
            for (int slot = from; slot <= to && slot < slots.length; slot++) {
                if (slots[slot] != null) {
                    count++;
                }
            }
            return count;
        }

        int nextTaken(int from) {
            for (int slot = from; slot < slots.length; slot++) {
                if (slots[slot] != null) {
                    return slot;
                }
            }
            return -1;
        }
    }
}
