package org.warpnfs.fs.memory;

import static org.warpnfs.fs.memory.PageAllocator.PAGE_BYTES;
import static org.warpnfs.fs.memory.PageAllocator.PAGE_BYTES_LOG2;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;

/**
 * The bytes of one file, stored sparsely. Pages that were never written are absent and read as zeroes, so a file takes
 * the memory of what was written, not of its length.
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
            MemorySegment page = page(at >>> PAGE_BYTES_LOG2);
            if (page == null) {
                to.asSlice(done, step).fill(ZERO);
            } else {
                MemorySegment.copy(page, within, to, done, step);
            }
            done += step;
        }
        sink.position(sink.position() + length);
        return length;
    }

    /** Writes all of {@code source}, or throws FILE_TOO_BIG or NO_SPACE and writes nothing. */
    void write(ByteBuffer source, long offset) throws FsException {
        int length = source.remaining();
        if (length == 0) {
            return;
        }
        long end = end(offset, length);
        addPages(offset, end);
        MemorySegment from = MemorySegment.ofBuffer(source);
        int done = 0;
        while (done < length) {
            long at = offset + done;
            int within = (int) (at & (PAGE_BYTES - 1));
            int step = Math.min(length - done, PAGE_BYTES - within);
            MemorySegment page = page(at >>> PAGE_BYTES_LOG2);
            if (page == null) {
                throw new AssertionError("page at " + at + " was added and is not there");
            }
            MemorySegment.copy(from, done, page, within, step);
            done += step;
        }
        source.position(source.limit());
        sizeBytes = Math.max(sizeBytes, end);
    }

    void allocate(long offset, long lengthBytes) throws FsException {
        if (lengthBytes > 0) {
            long end = end(offset, lengthBytes);
            addPages(offset, end);
            sizeBytes = Math.max(sizeBytes, end);
        }
    }

    void setSize(long newSizeBytes) {
        if (newSizeBytes < sizeBytes) {
            zero(newSizeBytes, sizeBytes);
        }
        sizeBytes = newSizeBytes;
    }

    /** Makes a hole of the part of the range that is within the file. */
    void deallocate(long offset, long lengthBytes) {
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
        zero(0, sizeBytes);
        sizeBytes = 0;
    }

    private static long end(long offset, long lengthBytes) throws FsException {
        if (lengthBytes > Long.MAX_VALUE - offset) {
            throw FsException.of(FsError.FILE_TOO_BIG);
        }
        return offset + lengthBytes;
    }

    private @Nullable MemorySegment page(long index) {
        Leaf leaf = leaves.get(index >>> PAGES_PER_LEAF_LOG2);
        return leaf == null ? null : leaf.get((int) (index & (PAGES_PER_LEAF - 1)));
    }

    /**
     * Adds every missing page between {@code offset} and {@code end}. If it throws, the pages that it has added are all
     * zero, so the contents are unchanged.
     */
    private void addPages(long offset, long end) throws FsException {
        long first = offset >>> PAGE_BYTES_LOG2;
        long last = (end - 1) >>> PAGE_BYTES_LOG2;
        long missing = last - first + 1 - countPages(first, last);
        if (missing == 0) {
            return;
        }
        allocator.reserve(missing);
        try {
            for (long index = first; missing > 0; index++) {
                Leaf leaf = leaves.computeIfAbsent(index >>> PAGES_PER_LEAF_LOG2, key -> new Leaf());
                int slot = (int) (index & (PAGES_PER_LEAF - 1));
                if (leaf.get(slot) == null) {
                    leaf.put(slot, allocator.takeReserved());
                    missing--;
                    pages++;
                }
            }
        } catch (FsException | RuntimeException | Error e) {
            allocator.unreserve(missing);
            throw e;
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
    private void zero(long offset, long end) {
        if (offset >= end) {
            return;
        }
        // Bytes beyond the end of the file are zero anyway, so the last page can be given back whole.
        long wholeEnd = end == sizeBytes ? ((end - 1) >>> PAGE_BYTES_LOG2) + 1 : end >>> PAGE_BYTES_LOG2;
        long wholeStart = (offset >>> PAGE_BYTES_LOG2) + ((offset & (PAGE_BYTES - 1)) == 0 ? 0 : 1);
        if (wholeStart > wholeEnd) {
            clear(offset, end);
            return;
        }
        clear(offset, wholeStart << PAGE_BYTES_LOG2);
        if (wholeEnd << PAGE_BYTES_LOG2 < end && end != sizeBytes) {
            clear(wholeEnd << PAGE_BYTES_LOG2, end);
        }
        if (wholeStart < wholeEnd) {
            drop(wholeStart, wholeEnd - 1);
        }
    }

    /** Zeroes a range within one page. */
    private void clear(long offset, long end) {
        MemorySegment page = page(offset >>> PAGE_BYTES_LOG2);
        if (page != null && offset < end) {
            page.asSlice(offset & (PAGE_BYTES - 1), end - offset).fill(ZERO);
        }
    }

    private void drop(long first, long last) {
        Iterator<Map.Entry<Long, Leaf>> found = leaves.subMap(
                        first >>> PAGES_PER_LEAF_LOG2, true, last >>> PAGES_PER_LEAF_LOG2, true)
                .entrySet()
                .iterator();
        while (found.hasNext()) {
            Map.Entry<Long, Leaf> entry = found.next();
            long base = entry.getKey() << PAGES_PER_LEAF_LOG2;
            Leaf leaf = entry.getValue();
            int to = (int) Math.min(PAGES_PER_LEAF - 1, last - base);
            for (int slot = (int) Math.max(0, first - base); slot <= to; slot++) {
                MemorySegment page = leaf.remove(slot);
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
        private @Nullable MemorySegment[] slots = new @Nullable MemorySegment[2];
        private int taken;

        @Nullable
        MemorySegment get(int slot) {
            return slot < slots.length ? slots[slot] : null;
        }

        void put(int slot, MemorySegment page) {
            if (slot >= slots.length) {
                slots = Arrays.copyOf(slots, Math.max(2, Integer.highestOneBit(slot) << 1));
            }
            slots[slot] = page;
            taken++;
        }

        @Nullable
        MemorySegment remove(int slot) {
            MemorySegment page = get(slot);
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
