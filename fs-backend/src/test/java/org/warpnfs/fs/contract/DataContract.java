package org.warpnfs.fs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Capability;
import org.warpnfs.fs.spi.FileAttribute;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Stability;

/** Contents: reading, writing, durability. */
public abstract class DataContract extends ContractFixture {
    @Test
    void write_then_read_awkwardSizes_areEqual() throws Exception {
        int[] sizes = {0, 1, 2, 3, 5, 1000, 4095, 4096, 4097, 16_383, 16_384, 16_385, 65_537, (1 << 20) + 1};
        for (int size : sizes) {
            FileHandle file = file(root, "f" + size);
            byte[] data = random(size, size);
            write(file, 0, data);
            assertThat(attributes(file).sizeBytes()).isEqualTo(size);
            assertThat(read(file, 0, size + 10)).isEqualTo(data);
            assertThat(read(file, size, 10)).isEmpty();
            assertThat(read(file, size + 1_000_000L, 10)).isEmpty();
        }
    }

    @Test
    void read_intoHeapAndSlicedBuffers_fillsJustTheRemaining() throws Exception {
        FileHandle file = file(root, "f");
        write(file, 0, bytes("0123456789"));
        try (OpenFile open = fs.open(ROOT, file, OpenAccess.READ)) {
            for (ByteBuffer whole : new ByteBuffer[] {ByteBuffer.allocate(20), ByteBuffer.allocateDirect(20)}) {
                ByteBuffer sink = whole.position(3).slice();
                sink.position(2).limit(6);
                assertThat(open.read(sink, 4)).isEqualTo(4);
                assertThat(sink.position()).isEqualTo(6);
                assertThat(whole.get(4)).isZero();
                assertThat(whole.get(5)).isEqualTo((byte) '4');
                assertThat(whole.get(8)).isEqualTo((byte) '7');
                assertThat(whole.get(9)).isZero();
                assertThat(open.read(whole.position(20), 0)).isZero();
            }
        }
    }

    @Test
    void write_fromReadOnlyHeapSlice_takesJustTheRemaining() throws Exception {
        FileHandle file = file(root, "f");
        ByteBuffer source =
                ByteBuffer.wrap(bytes("__hello__")).position(1).slice().asReadOnlyBuffer();
        source.position(1).limit(6);
        try (OpenFile open = fs.open(ROOT, file, OpenAccess.WRITE)) {
            open.write(source, 2, Stability.UNSTABLE);
        }

        assertThat(source.hasRemaining()).isFalse();
        assertThat(read(file, 0, 10)).isEqualTo(bytes("\0\0hello"));
    }

    @Test
    void write_eachStability_reachesAtLeastIt() throws Exception {
        FileHandle file = file(root, "f");
        long verifier = fs.writeVerifier();
        try (OpenFile open = fs.open(ROOT, file, OpenAccess.READ_WRITE)) {
            for (Stability wanted : Stability.values()) {
                Stability reached = open.write(ByteBuffer.wrap(bytes(wanted.name())), 0, wanted);
                assertThat(reached).isGreaterThanOrEqualTo(wanted);
                assertThat(read(open, 0, wanted.name().length())).isEqualTo(bytes(wanted.name()));
            }
            open.sync();
        }

        assertThat(fs.writeVerifier()).isEqualTo(verifier);
    }

    @Test
    void write_randomPieces_readsAsAnArrayWould() throws Exception {
        long seed = 42;
        Random random = new Random(seed);
        byte[] model = new byte[600_000];
        int size = 0;
        FileHandle file = file(root, "f");
        try (OpenFile open = fs.open(ROOT, file, OpenAccess.READ_WRITE)) {
            for (int i = 0; i < 300; i++) {
                int offset = random.nextInt(500_000);
                int length = random.nextInt(random.nextBoolean() ? 100 : 90_000);
                switch (random.nextInt(5)) {
                    case 0, 1 -> {
                        byte[] data = random(i, length);
                        open.write(ByteBuffer.wrap(data), offset, Stability.UNSTABLE);
                        System.arraycopy(data, 0, model, offset, length);
                        size = length == 0 ? size : Math.max(size, offset + length);
                    }
                    case 2 -> {
                        fs.setAttributes(ROOT, file, AttributeChanges.ofSize(offset));
                        Arrays.fill(model, offset, model.length, (byte) 0);
                        size = offset;
                    }
                    case 3 -> {
                        if (length > 0 && can(Capability.HOLES)) {
                            open.deallocate(offset, length);
                            Arrays.fill(model, offset, offset + length, (byte) 0);
                        }
                    }
                    default -> {
                        if (length > 0 && can(Capability.ALLOCATE)) {
                            open.allocate(offset, length);
                            size = Math.max(size, offset + length);
                        }
                    }
                }
                assertThat(open.attributes().sizeBytes())
                        .as("seed %s step %s", seed, i)
                        .isEqualTo(size);
                assertThat(Arrays.equals(read(open, 0, 600_000), Arrays.copyOf(model, size)))
                        .as("seed %s step %s", seed, i)
                        .isTrue();
            }
        }
    }

    @Test
    void write_beyondTheLargestFile_isRefused() throws Exception {
        FileHandle file = file(root, "f");

        assertFails(FsError.FILE_TOO_BIG, () -> write(file, Long.MAX_VALUE - 1, bytes("too far")));
        assertThat(attributes(file).sizeBytes()).isZero();
        assertThat(read(file, Long.MAX_VALUE - 1, 10)).isEmpty();
        assertThat(read(file, Long.MAX_VALUE, 10)).isEmpty();
    }

    @Test
    void open_access_isKept() throws Exception {
        FileHandle file = file(root, "f");
        write(file, 0, bytes("x"));
        try (OpenFile reader = fs.open(ROOT, file, OpenAccess.READ);
                OpenFile writer = fs.open(ROOT, file, OpenAccess.WRITE)) {
            assertThat(reader.handle()).isEqualTo(file);
            assertFails(FsError.ACCESS, () -> reader.write(ByteBuffer.wrap(bytes("y")), 0, Stability.UNSTABLE));
            assertFails(FsError.ACCESS, () -> writer.read(ByteBuffer.allocate(1), 0));
            if (can(Capability.ALLOCATE)) {
                assertFails(FsError.ACCESS, () -> reader.allocate(0, 1));
            }
            if (can(Capability.HOLES)) {
                assertFails(FsError.ACCESS, () -> reader.deallocate(0, 1));
            }
            if (can(Capability.COPY)) {
                assertFails(FsError.ACCESS, () -> writer.copyTo(0, writer, 10, 1));
                assertFails(FsError.ACCESS, () -> reader.copyTo(0, reader, 10, 1));
            }
        }
    }

    @Test
    void write_byAnotherOpenFile_isSeenAtOnce() throws Exception {
        FileHandle file = file(root, "f");
        try (OpenFile first = fs.open(ROOT, file, OpenAccess.READ_WRITE);
                OpenFile second = fs.open(ROOT, file, OpenAccess.READ_WRITE)) {
            first.write(ByteBuffer.wrap(bytes("abc")), 0, Stability.UNSTABLE);
            assertThat(read(second, 0, 10)).isEqualTo(bytes("abc"));
            assertThat(second.attributes().sizeBytes()).isEqualTo(3);
            assertThat(second.attributes().changeId())
                    .isEqualTo(first.attributes().changeId());
            second.sync();
        }
    }

    @Test
    void attributesAfterWrite_areThoseOfTheFileThen() throws Exception {
        FileHandle file = file(root, "f");
        try (OpenFile open = fs.open(ROOT, file, OpenAccess.WRITE);
                OpenFile other = fs.open(ROOT, file, OpenAccess.WRITE)) {
            assertThat(open.attributesAfterWrite(FileAttribute.ALL)).isEqualTo(fs.attributes(file));

            open.write(ByteBuffer.wrap(bytes("abc")), 0, Stability.FILE_SYNC);
            assertThat(open.attributesAfterWrite(FileAttribute.ALL)).isEqualTo(fs.attributes(file));

            other.write(ByteBuffer.wrap(bytes("d")), 3, Stability.UNSTABLE);
            assertThat(open.attributesAfterWrite(FileAttribute.ALL).sizeBytes()).isBetween(3L, 4L);
            open.write(ByteBuffer.wrap(bytes("e")), 4, Stability.UNSTABLE);
            assertThat(open.attributesAfterWrite(FileAttribute.ALL)).isEqualTo(fs.attributes(file));
        }
    }

    @Test
    void write_setUserIdFileByAnotherUser_losesTheBit() throws Exception {
        onlyIf(backend.canGiveAway(), "only the superuser gives files away");
        FileHandle file = ownedFile(FRIEND, "f", 06777);

        assertThat(attributes(file).permissions()).isEqualTo(06777);

        try (OpenFile open = fs.open(USER, file, OpenAccess.WRITE)) {
            open.write(ByteBuffer.wrap(bytes("x")), 0, Stability.UNSTABLE);
        }
        assertThat(attributes(file).permissions()).isEqualTo(0777);
    }

    /** Also if the file gets the bits while the other user has it open. */
    @Test
    void contents_ofSetUserIdFileChangedByAnotherUser_inAnyWay_loseTheBits() throws Exception {
        onlyIf(backend.canGiveAway(), "only the superuser gives files away");
        FileHandle file = ownedFile(FRIEND, "f", 0777);
        FileHandle source = ownedFile(USER, "source", 0600);
        write(source, 0, bytes("source"));
        try (OpenFile open = fs.open(USER, file, OpenAccess.WRITE);
                OpenFile from = fs.open(USER, source, OpenAccess.READ)) {
            losesSetIdBits(file, "write", () -> open.write(ByteBuffer.wrap(bytes("abc")), 0, Stability.UNSTABLE));
            if (can(Capability.ALLOCATE)) {
                losesSetIdBits(file, "allocate", () -> open.allocate(0, 10));
            }
            if (can(Capability.HOLES)) {
                losesSetIdBits(file, "deallocate", () -> open.deallocate(0, 1));
            }
            if (can(Capability.COPY)) {
                losesSetIdBits(file, "copy", () -> from.copyTo(0, open, 0, 6));
            }
            losesSetIdBits(file, "length", () -> fs.setAttributes(USER, file, AttributeChanges.ofSize(1)));
        }
    }

    private void losesSetIdBits(FileHandle file, String how, ThrowingCallable change) throws Exception {
        fs.setAttributes(ROOT, file, AttributeChanges.ofPermissions(06777));
        assertThatCode(change).as(how).doesNotThrowAnyException();
        assertThat(attributes(file).permissions()).as(how).isEqualTo(0777);
    }

    @Test
    void times_afterWriteAndRead_moveForward() throws Exception {
        FileHandle file = file(root, "f");
        FileAttributes born = attributes(file);
        write(file, 0, bytes("x"));
        FileAttributes written = attributes(file);

        assertThat(written.modifyTime()).isGreaterThanOrEqualTo(born.modifyTime());
        assertThat(written.changeTime()).isGreaterThanOrEqualTo(written.modifyTime());
        assertThat(written.birthTime()).isEqualTo(born.birthTime());
    }
}
