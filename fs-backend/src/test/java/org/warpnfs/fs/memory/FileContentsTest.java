package org.warpnfs.fs.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.warpnfs.fs.memory.PageAllocator.PAGE_BYTES;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.FsException;

/** ALLOCATE with pages that were taken before the file was locked. */
class FileContentsTest {
    private static final int CAPACITY_PAGES = 8;

    private final Space space = new Space(CAPACITY_PAGES * PAGE_BYTES);
    private final PageAllocator allocator = new PageAllocator(space, new Space(PAGE_BYTES), PageAllocator.Host.OWN);
    private final FileContents file = new FileContents(allocator);

    private void write(int page) throws FsException {
        file.write(ByteBuffer.wrap(new byte[] {7}), (long) page * PAGE_BYTES);
    }

    @Test
    void allocate_whereHolesWereMadeMeanwhile_takesMorePages() throws FsException {
        write(0);
        write(1);
        try (PageAllocator.Supply one = allocator.supply(file.missingPages(0, 3 * PAGE_BYTES))) {
            assertThat(one.count()).isOne();
            file.deallocate(0, 2 * PAGE_BYTES);

            file.allocate(0, 3 * PAGE_BYTES, one);
        }
        assertThat(file.usedBytes()).isEqualTo(3 * PAGE_BYTES);
        assertThat(space.free()).isEqualTo((CAPACITY_PAGES - 3) * PAGE_BYTES);
    }

    @Test
    void allocate_wherePagesWereWrittenMeanwhile_leavesTheOthers() throws FsException {
        try (PageAllocator.Supply three = allocator.supply(file.missingPages(0, 3 * PAGE_BYTES))) {
            write(1);

            file.allocate(0, 3 * PAGE_BYTES, three);

            assertThat(three.count()).isOne();
        }
        ByteBuffer read = ByteBuffer.allocate(1);
        file.read(read, PAGE_BYTES);
        assertThat(read.get(0)).isEqualTo((byte) 7);
        assertThat(space.free()).isEqualTo((CAPACITY_PAGES - 3) * PAGE_BYTES);
    }

    @Test
    void allocate_forWhichTheCapacityIsGoneMeanwhile_changesNothing() throws FsException {
        write(0);
        try (PageAllocator.Supply one = allocator.supply(file.missingPages(0, 2 * PAGE_BYTES))) {
            file.deallocate(0, 2 * PAGE_BYTES);
            PageAllocator.Supply rest = allocator.supply(CAPACITY_PAGES - 1);

            assertThatThrownBy(() -> file.allocate(0, 2 * PAGE_BYTES, one)).isInstanceOf(FsException.class);

            rest.close();
        }
        assertThat(file.usedBytes()).isZero();
        assertThat(space.free()).isEqualTo(CAPACITY_PAGES * PAGE_BYTES);
    }

    @Test
    void supply_forWhichTheHostHasNoMemory_givesBackEverything() throws FsException {
        PageAllocator poor = new PageAllocator(space, new Space(PAGE_BYTES), bytes -> {
            throw new OutOfMemoryError("for a test");
        });

        assertThatThrownBy(() -> poor.supply(2)).isInstanceOf(FsException.class);

        assertThat(space.free()).isEqualTo(CAPACITY_PAGES * PAGE_BYTES);
    }
}
