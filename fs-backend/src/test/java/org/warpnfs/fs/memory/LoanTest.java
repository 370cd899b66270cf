package org.warpnfs.fs.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.Capability;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.LentPages;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Stability;

/** What lent pages cost the memory backend: its capacity, what may be lent, and the shape of the buffers. */
class LoanTest {
    private static final int PAGE = PageAllocator.PAGE_BYTES;
    private static final int FILE_PAGES = 32;
    private static final int FILE_BYTES = FILE_PAGES * PAGE;

    /** Has room for one file, and lends two of them. */
    private final MemoryFileSystem fs = new MemoryFileSystem(
            new MemoryFileSystem.Bounds(FILE_BYTES, 2 * FILE_BYTES, 1 << 20, 100), InstantSource.system());

    private final List<OpenFile> opened = new ArrayList<>();

    @AfterEach
    void closeAll() {
        opened.forEach(OpenFile::close);
        fs.close();
    }

    private OpenFile file(String name) throws FsException {
        return file(fs, name);
    }

    private OpenFile file(MemoryFileSystem in, String name) throws FsException {
        FileHandle handle = in.create(
                        Caller.ROOT, in.root(), FileName.of(name), new CreateMode.Unchecked(AttributeChanges.NONE))
                .node()
                .handle();
        OpenFile open = in.open(Caller.ROOT, handle, OpenAccess.READ_WRITE);
        opened.add(open);
        return open;
    }

    private static void fill(OpenFile open, int value) throws FsException {
        byte[] data = new byte[FILE_BYTES];
        Arrays.fill(data, (byte) value);
        open.write(ByteBuffer.wrap(data), 0, Stability.UNSTABLE);
    }

    @Test
    void loan_ofAFileInOneRun_isOneBuffer() throws Exception {
        OpenFile open = file("f");
        fill(open, 1);
        try (LentPages pages = open.lend(0, FILE_BYTES).orElseThrow()) {
            assertThat(pages.buffers()).hasSize(1);
        }
        try (LentPages pages = open.lend(PAGE - 1, 2).orElseThrow()) {
            assertThat(pages.buffers()).hasSize(1);
            assertThat(pages.buffers().getFirst().remaining()).isEqualTo(2);
        }
    }

    @Test
    void loan_ofAFileThatTookThePlaceOfAnother_isOneBufferToo() throws Exception {
        OpenFile open = file("f");
        fill(open, 1);
        fs.setAttributes(Caller.ROOT, open.handle(), AttributeChanges.ofSize(0L));
        fill(open, 2);
        try (LentPages pages = open.lend(0, FILE_BYTES).orElseThrow()) {
            assertThat(pages.buffers()).hasSize(1);
        }
    }

    @Test
    void write_toLentPagesOfAFullTree_hasSpace() throws Exception {
        OpenFile open = file("f");
        fill(open, 1);
        assertThat(fs.statistics().freeBytes()).isZero();
        try (LentPages pages = open.lend(0, FILE_BYTES).orElseThrow()) {
            fill(open, 2);
            assertThat(fs.statistics().freeBytes()).isZero();
            assertThat(pages.buffers().getFirst().get(5)).isEqualTo((byte) 1);
        }
        assertThat(fs.statistics().freeBytes()).isZero();
        assertThat(fs.lendableBytes()).isEqualTo(2 * FILE_BYTES);
    }

    @Test
    void lend_beyondWhatMayBeLent_isRefusedUntilALoanEnds() throws Exception {
        OpenFile open = file("f");
        fill(open, 1);
        LentPages first = open.lend(0, FILE_BYTES).orElseThrow();
        LentPages second = open.lend(0, FILE_BYTES).orElseThrow();
        Optional<LentPages> third = open.lend(0, 1);
        assertThat(third).isEmpty();
        second.close();
        assertThat(fs.lendableBytes()).isEqualTo(FILE_BYTES);
        open.lend(0, FILE_BYTES).orElseThrow().close();
        first.close();
        assertThat(fs.lendableBytes()).isEqualTo(2 * FILE_BYTES);
    }

    @Test
    void remove_ofALentFile_freesItsSpaceAtOnceAndItsMemoryLater() throws Exception {
        OpenFile open = file("f");
        fill(open, 1);
        LentPages pages = open.lend(0, FILE_BYTES).orElseThrow();
        fs.remove(Caller.ROOT, fs.root(), FileName.of("f"));
        open.close();
        assertThat(fs.statistics().freeBytes()).isEqualTo(FILE_BYTES);

        OpenFile other = file("other");
        fill(other, 2);
        assertThat(pages.buffers().getFirst().get(0)).isEqualTo((byte) 1);
        pages.close();
        pages.close();
        assertThat(fs.lendableBytes()).isEqualTo(2 * FILE_BYTES);
        fs.remove(Caller.ROOT, fs.root(), FileName.of("other"));
        other.close();
        assertThat(fs.statistics().freeBytes()).isEqualTo(FILE_BYTES);
    }

    /** Memory of the heap in words, which cannot be lent: as if there were no room for the loan's own objects. */
    @Test
    void loan_thatCannotBeMade_leavesNothingLent() throws Exception {
        MemoryFileSystem.Bounds bounds = new MemoryFileSystem.Bounds(FILE_BYTES, FILE_BYTES, 1 << 20, 100);
        try (MemoryFileSystem words = new MemoryFileSystem(
                bounds, InstantSource.system(), bytes -> MemorySegment.ofArray(new long[(int) (bytes / Long.BYTES)]))) {
            OpenFile open = file(words, "f");
            fill(open, 1);
            assertThatThrownBy(() -> open.lend(0, FILE_BYTES)).isInstanceOf(UnsupportedOperationException.class);
            assertThat(words.lendableBytes()).isEqualTo(FILE_BYTES);
        }
    }

    /** The last page is lent, and the host has no memory for a copy of which the end can be zeroed. */
    @Test
    void setAttributes_sizeThatCannotBeSet_setsNoneOfTheOthers() throws Exception {
        AtomicBoolean isFull = new AtomicBoolean();
        PageAllocator.Host host = bytes -> {
            if (isFull.get()) {
                throw new OutOfMemoryError("as the test says");
            }
            return Arena.ofAuto().allocate(bytes, 4096);
        };
        int slabBytes = 64 * PAGE;
        MemoryFileSystem.Bounds bounds = new MemoryFileSystem.Bounds(slabBytes, slabBytes, 1 << 20, 100);
        try (MemoryFileSystem small = new MemoryFileSystem(bounds, InstantSource.system(), host)) {
            OpenFile open = file(small, "f");
            open.write(ByteBuffer.wrap(new byte[slabBytes]), 0, Stability.UNSTABLE);
            isFull.set(true);
            try (LentPages _ = open.lend(0, slabBytes).orElseThrow()) {
                FileAttributes before = open.attributes();
                AttributeChanges changes = new AttributeChanges(0600, 7L, 8L, 100L, null, null);
                assertThatThrownBy(() -> small.setAttributes(Caller.ROOT, open.handle(), changes))
                        .isInstanceOfSatisfying(
                                FsException.class, e -> assertThat(e.error()).isEqualTo(FsError.NO_SPACE));
                assertThat(open.attributes()).isEqualTo(before);
            }
        }
    }

    @Test
    void tree_withoutLending_lendsNothingAndSaysSo() throws Exception {
        try (MemoryFileSystem other = MemoryFileSystem.oneOf(1, 1 << 20, 10, false)) {
            assertThat(other.limits().has(Capability.LENT_PAGES)).isFalse();
            FileHandle handle = other.create(
                            Caller.ROOT,
                            other.root(),
                            FileName.of("f"),
                            new CreateMode.Unchecked(AttributeChanges.NONE))
                    .node()
                    .handle();
            try (OpenFile open = other.open(Caller.ROOT, handle, OpenAccess.READ_WRITE)) {
                open.write(ByteBuffer.wrap(new byte[100_000]), 0, Stability.UNSTABLE);
                assertThat(open.lend(0, 100_000)).isEmpty();
            }
        }
    }
}
