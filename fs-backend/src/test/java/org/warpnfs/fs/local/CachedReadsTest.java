package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Stability;

/** Reads, opens and attributes without a wait, from what the kernel and the server have in memory. */
class CachedReadsTest extends LocalTreeFixture {
    @Test
    void tryRead_ofWhatWasWritten_readsItAndOfAHoleNobodyRead_waits() throws Exception {
        FileHandle file = create(fs.root(), "file");
        try (RandomAccessFile onHost = new RandomAccessFile(tree.resolve("file").toFile(), "rw")) {
            onHost.setLength(1 << 20);
        }
        try (OpenFile open = fs.open(Caller.ROOT, file, OpenAccess.READ_WRITE)) {
            open.write(ByteBuffer.allocateDirect(8192).put(0, (byte) 3), 0, Stability.UNSTABLE);
            ByteBuffer sink = ByteBuffer.allocateDirect(4096);
            assertThat(open.tryRead(sink, 0)).isEqualTo(4096);
            assertThat(sink.get(0)).isEqualTo((byte) 3);
            ByteBuffer hole = ByteBuffer.allocateDirect(4096);
            assertThat(open.tryRead(hole, 1 << 19)).isEqualTo(OpenFile.WOULD_WAIT);
            assertThat(hole.position()).isZero();
            ByteBuffer both = ByteBuffer.allocateDirect(16 << 10);
            assertThat(open.tryRead(both, 0)).as("a part is not there").isEqualTo(OpenFile.WOULD_WAIT);
            assertThat(both.position()).isZero();
        }
    }

    @Test
    void tryOpen_ofAFileThatWasOpen_findsItUntilItHasNoName() throws Exception {
        FileHandle file = create(fs.root(), "file");
        assertThat(fs.tryOpen(Caller.ROOT, file, OpenAccess.WRITE)).isNull();
        fs.open(Caller.ROOT, file, OpenAccess.WRITE).close();
        for (int i = 0; i < 3; i++) {
            try (OpenFile open = fs.tryOpen(Caller.ROOT, file, OpenAccess.READ)) {
                assertThat(open).isNotNull();
            }
        }
        assertThat(fs.tryAttributes(file)).isEqualTo(fs.attributes(file));
        fs.remove(Caller.ROOT, fs.root(), FileName.of("file"));
        assertThat(fs.tryOpen(Caller.ROOT, file, OpenAccess.READ)).isNull();
        assertThat(fs.tryAttributes(file)).isNull();
    }

    @Test
    void close_ofATreeWithAFileOpenedWithoutAWait_closesItsDescriptor() throws Exception {
        FileHandle file = create(fs.root(), "file");
        fs.open(Caller.ROOT, file, OpenAccess.WRITE).close();
        OpenFile open = fs.tryOpen(Caller.ROOT, file, OpenAccess.READ);
        assertThat(open).isNotNull();
        fs.close();
        open.close();
        fs = LocalFileSystem.open(tree, LocalOptions.DEFAULTS);
        assertThat(fs.attributes(file).sizeBytes()).isZero();
    }
}
