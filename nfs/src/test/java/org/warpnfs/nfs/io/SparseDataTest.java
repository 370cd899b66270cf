package org.warpnfs.nfs.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.memory.MemoryFileSystem;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Stability;
import org.warpnfs.payload.Payload;
import org.warpnfs.payload.PayloadPool;
import org.warpnfs.testkit.Seeds;

/** Positions of data, holes and the end of a file, with files whose bytes are known. */
class SparseDataTest {
    private static final int KIB = 1024;

    private final PayloadPool pool = new PayloadPool(4 << 20, 1 << 20);
    private final MemoryFileSystem fs = new MemoryFileSystem(64 << 20, 10_000);
    private OpenFile file;

    @BeforeEach
    void create() throws FsException {
        file = fs.open(
                Caller.ROOT,
                fs.create(
                                Caller.ROOT,
                                fs.root(),
                                FileName.of("f" + System.nanoTime()),
                                new CreateMode.Guarded(AttributeChanges.ofPermissions(0600)))
                        .node()
                        .handle(),
                OpenAccess.READ_WRITE);
    }

    @AfterEach
    void everythingIsGivenBack() {
        file.close();
        fs.close();
        assertThat(pool.lentBytes()).isZero();
    }

    private void write(long offset, int lengthBytes) throws FsException {
        byte[] data = new byte[lengthBytes];
        Arrays.fill(data, (byte) 'x');
        file.write(ByteBuffer.wrap(data), offset, Stability.UNSTABLE);
    }

    private Payload memory(long offset, long count) {
        int bytes = FileData.memoryBytes(offset, count, 1 << 20);
        return bytes == 0 ? FileData.noMemory() : pool.tryAcquire(bytes);
    }

    /** The segments read, as "D12" and "H8" with their lengths in KiB, and "." where the file ends. */
    private String read(long offset, long count) throws FsException {
        SparseData data = SparseData.read(file, offset, memory(offset, count));
        StringBuilder text = new StringBuilder();
        long at = offset;
        for (SparseData.Segment segment : data.segments()) {
            assertThat(segment.offset()).isEqualTo(at);
            switch (segment) {
                case SparseData.Segment.Data(long _, Payload payload) -> {
                    text.append("D").append(payload.lengthBytes() / KIB);
                    at += payload.lengthBytes();
                    payload.release();
                }
                case SparseData.Segment.Hole(long _, long lengthBytes) -> {
                    text.append("H").append(lengthBytes / KIB);
                    at += lengthBytes;
                }
            }
        }
        return text + (data.isEnd() ? "." : "");
    }

    @Test
    void file_withHoles_isDataAndHolesInOneAnswer() throws FsException {
        write(64 * KIB, 64 * KIB);
        write(256 * KIB, 64 * KIB);
        assertThat(read(0, 1 << 20)).isEqualTo("H64D64H128D64.");
        assertThat(read(96 * KIB, 64 * KIB)).isEqualTo("D32H32");
        assertThat(read(320 * KIB, 100)).isEqualTo(".");
        assertThat(read(-1, 100)).isEqualTo(".");
        assertThat(read(64 * KIB, 0)).isEmpty();
        assertThat(read(Long.MAX_VALUE, 100)).isEqualTo(".");
    }

    /** As when a disk fails. {@link #everythingIsGivenBack} checks that the memory is given back. */
    @Test
    void file_thatCannotBeRead_givesTheMemoryBack() throws FsException {
        write(0, 100 * KIB);
        OpenFile failing = (OpenFile) Proxy.newProxyInstance(
                OpenFile.class.getClassLoader(), new Class<?>[] {OpenFile.class}, (_, called, args) -> {
                    if (called.getName().equals("read")) {
                        throw FsException.of(FsError.IO);
                    }
                    return called.invoke(file, args);
                });
        assertThatThrownBy(() -> FileData.read(failing, 0, memory(0, 8192))).isInstanceOf(FsException.class);
        assertThatThrownBy(() -> SparseData.read(failing, 0, memory(0, 8192))).isInstanceOf(FsException.class);
    }

    @Test
    void file_ofDataAlone_isOneSegment() throws FsException {
        write(0, 100 * KIB);
        assertThat(read(0, 100 * KIB)).isEqualTo("D100.");
        assertThat(read(0, 50 * KIB)).isEqualTo("D50");
        assertThat(read(10 * KIB, 1 << 20)).isEqualTo("D90.");
    }

    @Test
    void backend_knowsNoHoles_hasDataEverywhere() throws FsException {
        write(64 * KIB, 64 * KIB);
        file = overridden(file, FsException.of(FsError.NOT_SUPPORTED));
        assertThat(read(0, 1 << 20)).isEqualTo("D128.");
    }

    @Test
    void backend_failsToSeek_givesTheMemoryBack() throws FsException {
        write(0, KIB);
        file = overridden(file, FsException.of(FsError.IO));
        Payload memory = memory(0, 100);
        assertThatThrownBy(() -> SparseData.read(file, 0, memory)).isInstanceOf(FsException.class);
        assertThat(pool.lentBytes()).isZero();
    }

    private static OpenFile overridden(OpenFile target, FsException onSeek) {
        return (OpenFile) Proxy.newProxyInstance(
                SparseDataTest.class.getClassLoader(), new Class<?>[] {OpenFile.class}, (proxy, method, arguments) -> {
                    if (method.getName().startsWith("seek")) {
                        throw onSeek;
                    }
                    return method.invoke(target, arguments);
                });
    }

    @Test
    void anyFile_readAnyhow_isWhatReadSays() {
        Seeds.each(200, seed -> {
            try {
                create();
                readAnyhow(new SplittableRandom(seed));
            } catch (FsException e) {
                throw new AssertionError(e);
            }
        });
    }

    private void readAnyhow(SplittableRandom random) throws FsException {
        int pieces = random.nextInt(8);
        for (int i = 0; i < pieces; i++) {
            write(random.nextInt(200 * KIB), 1 + random.nextInt(30 * KIB));
        }
        long offset = random.nextInt(240 * KIB);
        int count = random.nextInt(256 * KIB);
        ByteBuffer expected = ByteBuffer.allocate(count);
        int length = count == 0 ? 0 : file.read(expected, offset);
        SparseData data = SparseData.read(file, offset, memory(offset, count));
        ByteBuffer got = ByteBuffer.allocate(count);
        List<String> shape = new ArrayList<>();
        for (SparseData.Segment segment : data.segments()) {
            assertThat(segment.offset()).isEqualTo(offset + got.position());
            switch (segment) {
                case SparseData.Segment.Data(long _, Payload payload) -> {
                    got.put(payload.buffer().duplicate());
                    shape.add("D" + payload.lengthBytes());
                    payload.release();
                }
                case SparseData.Segment.Hole(long _, long lengthBytes) -> {
                    assertThat(lengthBytes).isGreaterThanOrEqualTo(SparseData.LEAST_HOLE_BYTES);
                    got.put(new byte[(int) lengthBytes]);
                    shape.add("H" + lengthBytes);
                }
            }
        }
        assertThat(got.position()).as("%s", shape).isEqualTo(length);
        assertThat(got.array()).isEqualTo(expected.array());
        assertThat(data.isEnd()).isEqualTo(offset + length >= file.attributes().sizeBytes());
    }

    @Test
    void end_ofAnyRead_isWhereTheRfcsSay() {
        assertThat(FileData.endsAt(0, 10, 10, 11)).isFalse();
        assertThat(FileData.endsAt(0, 10, 10, 10)).isTrue();
        assertThat(FileData.endsAt(0, 10, 4, 4)).isTrue();
        assertThat(FileData.endsAt(0, 10, 4, 20)).as("it has grown since").isFalse();
        assertThat(FileData.endsAt(30, 10, 0, 40)).as("or asked for ever").isTrue();
        assertThat(FileData.endsAt(4, 0, 0, 4)).isTrue();
        assertThat(FileData.endsAt(3, 0, 0, 4)).isFalse();
        assertThat(FileData.endsAt(-1, 10, 0, Long.MAX_VALUE)).isTrue();
    }
}
