package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.CachedRange;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Stability;

/** Ranges of files in the page cache. */
class CachedRangesTest extends LocalTreeFixture {
    private static final int FILE_BYTES = 1 << 20;

    private FileHandle file() throws Exception {
        FileHandle file = create(fs.root(), "file");
        byte[] bytes = new byte[FILE_BYTES];
        bytes[4096] = 7;
        try (OpenFile open = fs.open(Caller.ROOT, file, OpenAccess.WRITE)) {
            open.write(ByteBuffer.wrap(bytes), 0, Stability.UNSTABLE);
        }
        return file;
    }

    private CachedRange range(FileHandle file) throws Exception {
        try (OpenFile open = fs.open(Caller.ROOT, file, OpenAccess.READ)) {
            Optional<CachedRange> range = open.range(0, FILE_BYTES);
            assumeTrue(range.isPresent(), "this kernel or file system gives no ranges");
            return range.get();
        }
    }

    @Test
    void range_fileClosedRemovedAndTreeClosed_isStillReadAndThenClosed() throws Exception {
        FileHandle file = file();
        CachedRange range = range(file);
        fs.remove(Caller.ROOT, fs.root(), FileName.of("file"));
        fs.close();

        ByteBuffer sink = ByteBuffer.allocate(8);
        assertThat(range.isCached(0, FILE_BYTES)).isTrue();
        assertThat(range.read(4096, sink)).isEqualTo(8);
        assertThat(sink.get(0)).isEqualTo((byte) 7);

        range.close();
        range.close();
        assertThat(range.isCached(0, 1)).isFalse();
        assertThatThrownBy(() -> range.read(0, sink.clear())).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> range.sendTo(0, 0, 1)).isInstanceOf(IOException.class);
    }

    @Test
    void range_fileCutShort_readsWhatIsLeft() throws Exception {
        try (CachedRange range = range(file());
                FileChannel channel = FileChannel.open(tree.resolve("file"), StandardOpenOption.WRITE)) {
            channel.truncate(5000);
            assertThat(range.read(4096, ByteBuffer.allocateDirect(FILE_BYTES))).isEqualTo(5000 - 4096);
            assertThat(range.read(8192, ByteBuffer.allocate(10))).isZero();
        }
    }

    @Test
    void ranges_beyondTheirNumber_areNotMade_andAreAgainAfterAClose() throws Exception {
        LocalOptions defaults = LocalOptions.DEFAULTS;
        DescriptorBudget budget = DescriptorBudget.of(128);
        restart(new LocalOptions(
                null, 8, false, LocalOptions.Identity.BEST, true, budget, SyncWaits.UNCOUNTED, () -> 1));
        FileHandle file = file();
        List<CachedRange> held = new ArrayList<>(List.of(range(file)));
        assertThat(defaults.ranges()).isTrue();
        try (OpenFile open = fs.open(Caller.ROOT, file, OpenAccess.READ)) {
            for (Optional<CachedRange> next = open.range(0, 1); next.isPresent(); next = open.range(0, 1)) {
                held.add(next.get());
            }
            assertThat(held).hasSize(budget.forFiles() / 16);
            held.removeLast().close();
            Optional<CachedRange> again = open.range(0, 1);
            assertThat(again).isPresent();
            held.add(again.get());
        }
        held.forEach(CachedRange::close);
    }

    @Test
    void range_switchedOff_isNotMade() throws Exception {
        restart(LocalOptions.DEFAULTS.withRanges(false));
        try (OpenFile open = fs.open(Caller.ROOT, file(), OpenAccess.READ)) {
            assertThat(open.range(0, FILE_BYTES)).isEmpty();
        }
    }
}
