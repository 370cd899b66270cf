package org.warpnfs.fs.memory;

import static org.warpnfs.fs.memory.PageAllocator.PAGE_BYTES;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.LentPages;

/**
 * Pages of a file that are lent. While they are, the file writes to copies of them, and their memory is used for no
 * other file. Safe for any thread.
 */
final class Loan implements LentPages {
    /** Read for holes. Nobody writes to it. */
    private static final MemorySegment ZEROES = Arena.global().allocate(PAGE_BYTES, 4096);

    private final PageAllocator allocator;
    private final int charged;
    private final List<Page> pages;
    private final List<ByteBuffer> buffers;
    private final AtomicBoolean closed = new AtomicBoolean();

    private Loan(PageAllocator allocator, int charged, List<Page> pages, List<ByteBuffer> buffers) {
        this.allocator = allocator;
        this.charged = charged;
        this.pages = pages;
        this.buffers = buffers;
    }

    @Override
    public List<ByteBuffer> buffers() {
        return buffers;
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            allocator.endLoan(pages, charged);
        }
    }

    /**
     * Collects the pages of a loan. Neighbours in memory become one buffer. The lock of the file is held meanwhile, so
     * that no page is written to or given up.
     */
    static final class Lending {
        private final PageAllocator allocator;
        private final int charged;
        private final List<Page> pages;
        private final List<ByteBuffer> buffers = new ArrayList<>();
        private @Nullable Page first;
        private @Nullable Page last;
        private int from;
        private int lengthBytes;

        /** @param charged how many pages the allocator has reserved for it */
        Lending(PageAllocator allocator, int charged) {
            this.allocator = allocator;
            this.charged = charged;
            this.pages = new ArrayList<>(charged);
        }

        /** @param page null for a hole */
        void add(@Nullable Page page, int within, int stepBytes) {
            if (page == null) {
                endRun();
                buffers.add(ZEROES.asSlice(within, stepBytes).asByteBuffer().asReadOnlyBuffer());
                return;
            }
            page.addUser();
            pages.add(page);
            if (last == null || !page.follows(last)) {
                endRun();
                first = page;
                from = within;
            }
            last = page;
            lengthBytes += stepBytes;
        }

        private void endRun() {
            if (first != null) {
                buffers.add(first.buffer(from, lengthBytes));
            }
            first = null;
            last = null;
            lengthBytes = 0;
        }

        /** Gives all back, if there will be no loan. */
        void abandon() {
            allocator.endLoan(pages, charged);
        }

        Loan end() {
            endRun();
            return new Loan(allocator, charged, List.copyOf(pages), List.copyOf(buffers));
        }
    }
}
