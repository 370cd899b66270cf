package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.fs.local.libc.DataCalls;
import org.warpnfs.fs.local.libc.Errno;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.OpenCalls;
import org.warpnfs.fs.local.libc.RangeCalls;
import org.warpnfs.fs.spi.CachedRange;

/** When a file is given as a range, by what the kernel says of its pages. */
@Timeout(120)
class FileRangesTest {
    private static final long TMPFS = 0x0102_1994L;
    private static final long FUSE = 0x6573_5546L;
    private static final int BYTES = 1 << 20;

    @TempDir
    private Path directory;

    private Fd file;
    private Fd other;

    /** Whether the pages have been read from the disk. All of them are there. */
    private boolean read;

    /** What RWF_NOWAIT and cachestat(2) of any file fail with; 0 if they work. */
    private int probeErrno;

    private int countErrno;
    private int duplicateErrno;
    private int changeErrno;
    private long type = FUSE;

    /** Between two looks at the clock. */
    private long stepNanos = 1_000_000;

    private long nowNanos;
    private int probes;
    private long changeSeconds;
    private long nowSeconds;

    private final FileRanges.PageCache pageCache = new FileRanges.PageCache() {
        @Override
        public long cachedPages(Fd asked, long offset, int lengthBytes) throws ErrnoException {
            fail(countErrno);
            return FileRanges.pages(offset, lengthBytes);
        }

        @Override
        public void probe(Fd asked, long offset) throws ErrnoException {
            probes++;
            fail(probeErrno);
            fail(read ? 0 : Errno.EAGAIN);
        }

        @Override
        public long readCached(Fd asked, MemorySegment sink, long offset) throws ErrnoException {
            fail(probeErrno);
            fail(read ? 0 : Errno.EAGAIN);
            return DataCalls.pread(asked, sink, offset);
        }

        @Override
        public Fd duplicate(Fd asked) throws ErrnoException {
            fail(duplicateErrno);
            return RangeCalls.duplicate(asked);
        }

        @Override
        public long fileSystemType(Fd asked) {
            return type;
        }

        @Override
        public long nanoTime() {
            nowNanos += stepNanos;
            return nowNanos;
        }

        @Override
        public long changeSeconds(Fd asked) throws ErrnoException {
            fail(changeErrno);
            return changeSeconds;
        }

        @Override
        public long nowSeconds() {
            return nowSeconds;
        }
    };

    private final FileRanges ranges = new FileRanges(true, false, DescriptorBudget.of(1024), pageCache);

    private static void fail(int errno) throws ErrnoException {
        if (errno != 0) {
            throw ErrnoException.of(errno);
        }
    }

    @BeforeEach
    void open() throws Exception {
        file = open("file");
        other = open("other");
    }

    private Fd open(String name) throws Exception {
        Path path = Files.createFile(directory.resolve(name));
        return OpenCalls.open(path.toString().getBytes(StandardCharsets.UTF_8), OpenCalls.O_RDWR);
    }

    private boolean gives(Fd asked) throws Exception {
        Optional<CachedRange> range = ranges.range(asked, 0, BYTES);
        range.ifPresent(CachedRange::close);
        return range.isPresent();
    }

    @Test
    void pages_stillBeingRead_areNotGiven() throws Exception {
        assertThat(gives(file)).isFalse();
        read = true;
        assertThat(gives(file)).isTrue();
    }

    /** FUSE, NFS and vfat count pages that their daemon, server or disk may never bring. */
    @Test
    void fileSystem_thatCannotTell_givesNothing() throws Exception {
        probeErrno = Errno.EOPNOTSUPP;
        assertThat(gives(file)).isFalse();
    }

    /** hugetlbfs. */
    @Test
    void fileSystem_thatCannotCount_givesNothing() throws Exception {
        read = true;
        countErrno = Errno.EOPNOTSUPP;
        assertThat(gives(file)).isFalse();
    }

    @Test
    void bytes_lostSinceTheRangeWasMade_areNotReadWithoutAWait() throws Exception {
        Files.write(directory.resolve("file"), new byte[] {1, 2, 3, 4});
        read = true;
        try (CachedRange range = ranges.range(file, 1, 8).orElseThrow()) {
            ByteBuffer sink = ByteBuffer.allocateDirect(8);
            read = false;
            assertThat(range.tryRead(0, sink)).isEqualTo(CachedRange.WOULD_WAIT);
            assertThat(sink.position()).isZero();
            read = true;
            countErrno = Errno.EPERM;
            assertThat(range.tryRead(0, sink)).isEqualTo(CachedRange.WOULD_WAIT);
            countErrno = 0;
            // The file ends after three bytes.
            assertThat(range.tryRead(0, sink)).isEqualTo(3);
            assertThat(sink.flip()).isEqualTo(ByteBuffer.wrap(new byte[] {2, 3, 4}));
            ByteBuffer onHeap = ByteBuffer.allocate(1);
            assertThat(range.tryRead(2, onHeap)).isEqualTo(1);
            assertThat(onHeap.get(0)).isEqualTo((byte) 4);
        }
    }

    @Test
    void answer_ofTheMomentBefore_isNotAskedForAgain() throws Exception {
        Files.write(directory.resolve("file"), new byte[] {1, 2, 3, 4});
        read = true;
        stepNanos = 0;
        try (CachedRange range = ranges.range(file, 0, 4).orElseThrow()) {
            probes = 0;
            countErrno = Errno.EPERM;
            nowNanos += 999_999;
            assertThat(range.isCached(0, 4)).isTrue();
            assertThat(range.tryRead(0, ByteBuffer.allocateDirect(4))).isEqualTo(4);
            assertThat(probes).isZero();
            nowNanos++;
            assertThat(range.isCached(0, 4)).isFalse();
            assertThat(range.tryRead(0, ByteBuffer.allocateDirect(4))).isEqualTo(CachedRange.WOULD_WAIT);
        }
    }

    @Test
    void disk_failsWhileBytesAreReadWithoutAWait_isSaid() throws Exception {
        read = true;
        try (CachedRange range = ranges.range(file, 0, BYTES).orElseThrow()) {
            probeErrno = Errno.EIO;
            ByteBuffer sink = ByteBuffer.allocateDirect(BYTES);
            assertThatThrownBy(() -> range.tryRead(0, sink)).isInstanceOf(IOException.class);
        }
    }

    /** A READ of an open file takes no descriptor, so it must not fail for want of one. */
    @Test
    void descriptors_haveRunOut_givesNothingAndCountsNothing() throws Exception {
        read = true;
        duplicateErrno = Errno.EMFILE;
        assertThat(gives(file)).isFalse();
        assertThat(ranges.open()).isZero();
        duplicateErrno = 0;
        assertThat(gives(file)).isTrue();
    }

    /** Another file system may be mounted in the tree. */
    @Test
    void fileInMemory_changesNothingForOthers() throws Exception {
        probeErrno = Errno.EOPNOTSUPP;
        type = TMPFS;
        try (CachedRange range = ranges.range(file, 0, BYTES).orElseThrow()) {
            probes = 0;
            assertThat(range.isCached(0, BYTES)).isTrue();
            assertThat(probes).isZero();
        }
        probeErrno = 0;
        assertThat(gives(other)).isFalse();
    }

    @Test
    void range_asksForEachPieceAndItsEnd() throws Exception {
        read = true;
        try (CachedRange range = ranges.range(file, 0, BYTES).orElseThrow()) {
            assertThat(probes).isEqualTo(8);
            probes = 0;
            assertThat(range.isCached(5, 1)).isTrue();
            assertThat(probes).isEqualTo(1);
            read = false;
            assertThat(range.isCached(0, BYTES)).isFalse();
        }
    }

    /** On XFS sendfile(2) on an event loop would wait for the file's writers. */
    @Test
    void fileThatChanged_whereItsWritersAreWaitedFor_isNotGivenNorSent() throws Exception {
        FileRanges waiting = new FileRanges(true, true, DescriptorBudget.of(1024), pageCache);
        read = true;
        changeSeconds = 1000;
        nowSeconds = 1000 + FileRanges.QUIET_SECONDS;
        assertThat(waiting.range(file, 0, BYTES)).isEmpty();
        nowSeconds++;
        try (CachedRange range = waiting.range(file, 0, BYTES).orElseThrow()) {
            assertThat(range.isCached(0, BYTES)).isTrue();
            changeSeconds = nowSeconds;
            assertThat(range.isCached(0, BYTES)).isFalse();
            nowSeconds += FileRanges.QUIET_SECONDS + 1;
            assertThat(range.isCached(0, BYTES)).isTrue();
            // The clock has been set back.
            nowSeconds = 5;
            assertThat(range.isCached(0, BYTES)).isFalse();
        }
        nowSeconds = changeSeconds + FileRanges.QUIET_SECONDS + 1;
        changeErrno = Errno.EIO;
        assertThat(waiting.range(file, 0, BYTES)).isEmpty();
    }

    @Test
    void fileThatChanged_whereNobodyIsWaitedFor_isGiven() throws Exception {
        read = true;
        changeSeconds = nowSeconds;
        assertThat(gives(file)).isTrue();
    }

    @Test
    void closes_thatWait_holdNoVirtualThreads() throws Exception {
        CompletableFuture<Boolean> isVirtual = new CompletableFuture<>();
        CountDownLatch disk = new CountDownLatch(1);
        SlowCloses.later(() -> {
            isVirtual.complete(Thread.currentThread().isVirtual());
            try {
                disk.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        CompletableFuture<Void> next = new CompletableFuture<>();
        SlowCloses.later(() -> next.complete(null));
        assertThat(isVirtual.get(60, TimeUnit.SECONDS)).isFalse();
        next.get(60, TimeUnit.SECONDS);
        disk.countDown();
    }
}
