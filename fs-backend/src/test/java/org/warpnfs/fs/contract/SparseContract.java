package org.warpnfs.fs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Capability;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;

/** Lengths and holes: the space that holes take, seeks for data and holes, and copies between files. */
public abstract class SparseContract extends ContractFixture {
    private static final long MIB = 1 << 20;

    @Test
    @Needs(Capability.HOLES)
    void write_farAway_takesNoSpaceForTheHole() throws Exception {
        FileHandle file = file(root, "f");
        long far = 3L << 40;
        write(file, far, bytes("end"));
        FileAttributes attributes = attributes(file);

        assertThat(attributes.sizeBytes()).isEqualTo(far + 3);
        assertThat(attributes.usedBytes()).isLessThan(MIB);
        assertThat(read(file, far - 5, 10)).isEqualTo(bytes("\0\0\0\0\0end"));
        assertThat(read(file, 0, 5)).isEqualTo(new byte[5]);
    }

    @Test
    @Needs(Capability.HOLES)
    void setSize_hugeThenShort_readsZeroesAgain() throws Exception {
        FileHandle file = file(root, "f");
        write(file, 0, random(1, 100_000));
        fs.setAttributes(ROOT, file, AttributeChanges.ofSize(5L));

        fs.setAttributes(ROOT, file, AttributeChanges.ofSize(1L << 42));

        assertThat(attributes(file).sizeBytes()).isEqualTo(1L << 42);
        assertThat(read(file, 0, 10)).isEqualTo(concat(Arrays.copyOf(random(1, 100_000), 5), new byte[5]));
        assertThat(read(file, 50_000, 100)).isEqualTo(new byte[100]);
        assertThat(attributes(file).usedBytes()).isLessThan(MIB);
    }

    @Test
    void setSize_negativeOrOnOtherKinds_isRefused() throws Exception {
        FileHandle file = file(root, "f");

        assertFails(FsError.INVALID, () -> fs.setAttributes(ROOT, file, AttributeChanges.ofSize(-1)));
        assertFails(FsError.IS_DIRECTORY, () -> fs.setAttributes(ROOT, root, AttributeChanges.ofSize(0)));

        if (can(Capability.SYMLINKS)) {
            FileHandle link = fs.makeSymlink(ROOT, root, name("s"), bytes("f"), AttributeChanges.NONE)
                    .handle();
            assertFails(FsError.INVALID, () -> fs.setAttributes(ROOT, link, AttributeChanges.ofSize(0)));
        }
        assertThat(attributes(file).sizeBytes()).isZero();
    }

    @Test
    @Needs({Capability.ALLOCATE, Capability.HOLES})
    void allocate_beyondTheEnd_extendsWithZeroes() throws Exception {
        FileHandle file = file(root, "f");
        write(file, 0, bytes("x"));
        try (OpenFile open = fs.open(ROOT, file, OpenAccess.WRITE)) {
            open.allocate(0, MIB);
            assertThat(open.attributes().sizeBytes()).isEqualTo(MIB);
            assertThat(open.attributes().usedBytes()).isGreaterThanOrEqualTo(MIB);
            assertFails(FsError.INVALID, () -> open.allocate(0, 0));
            assertFails(FsError.INVALID, () -> open.deallocate(0, 0));
            assertFails(FsError.FILE_TOO_BIG, () -> open.allocate(Long.MAX_VALUE - 5, 100));
        }

        assertThat(read(file, 0, 3)).isEqualTo(bytes("x\0\0"));
    }

    @Test
    @Needs(Capability.HOLES)
    void deallocate_inTheMiddle_givesSpaceBackAndKeepsTheLength() throws Exception {
        FileHandle file = file(root, "f");
        byte[] data = random(3, (int) MIB);
        write(file, 0, data);
        try (OpenFile open = fs.open(ROOT, file, OpenAccess.READ_WRITE)) {
            open.sync();
            long before = open.attributes().usedBytes();
            open.deallocate(100_000, 800_000);
            Arrays.fill(data, 100_000, 900_000, (byte) 0);
            assertThat(open.attributes().sizeBytes()).isEqualTo(MIB);
            assertThat(open.attributes().usedBytes()).isLessThan(before - 700_000);
            open.deallocate(2 * MIB, Long.MAX_VALUE - 2 * MIB);
            open.deallocate(MIB - 10, Long.MAX_VALUE - MIB);
            Arrays.fill(data, (int) MIB - 10, (int) MIB, (byte) 0);
            assertThat(open.attributes().sizeBytes()).isEqualTo(MIB);
        }

        assertThat(Arrays.equals(read(file, 0, (int) MIB), data)).isTrue();
    }

    @Test
    @Needs(Capability.HOLES)
    void seek_dataAndHoles_findsTheBorders() throws Exception {
        FileHandle file = file(root, "f");
        write(file, 4 * MIB, random(1, (int) MIB));
        write(file, 10 * MIB, random(2, (int) MIB));
        fs.setAttributes(ROOT, file, AttributeChanges.ofSize(20 * MIB));
        try (OpenFile open = fs.open(ROOT, file, OpenAccess.READ)) {
            assertThat(open.seekData(0)).isEqualTo(4 * MIB);
            assertThat(open.seekData(4 * MIB + 17)).isEqualTo(4 * MIB + 17);
            assertThat(open.seekHole(4 * MIB + 17)).isEqualTo(5 * MIB);
            assertThat(open.seekData(5 * MIB)).isEqualTo(10 * MIB);
            assertThat(open.seekHole(0)).isZero();
            assertThat(open.seekHole(10 * MIB)).isEqualTo(11 * MIB);
            assertFails(FsError.NO_DEVICE, () -> open.seekData(11 * MIB));
            assertFails(FsError.NO_DEVICE, () -> open.seekData(20 * MIB));
            assertFails(FsError.NO_DEVICE, () -> open.seekHole(20 * MIB));
            assertFails(FsError.NO_DEVICE, () -> open.seekHole(Long.MAX_VALUE));
        }
        FileHandle full = file(root, "full");
        write(full, 0, random(1, 1000));
        try (OpenFile open = fs.open(ROOT, full, OpenAccess.READ)) {
            assertThat(open.seekHole(0)).isEqualTo(1000);
        }
    }

    @Test
    @Needs(Capability.COPY)
    void copyTo_anotherFile_copiesInOneOrMoreSteps() throws Exception {
        FileHandle from = file(root, "from");
        FileHandle to = file(root, "to");
        byte[] data = random(5, (int) (2 * MIB) + 123);
        write(from, 0, data);
        try (OpenFile source = fs.open(ROOT, from, OpenAccess.READ);
                OpenFile target = fs.open(ROOT, to, OpenAccess.READ_WRITE)) {
            long done = 0;
            while (done < data.length) {
                long step = source.copyTo(done, target, 1000 + done, data.length + 99 - done);
                assertThat(step).isPositive();
                done += step;
            }
            assertThat(done).isEqualTo(data.length);
            assertThat(Arrays.equals(read(target, 1000, data.length + 5), data)).isTrue();
            assertThat(source.copyTo(data.length, target, 0, 10)).isZero();
        }
    }

    @Test
    @Needs(Capability.COPY)
    void copyTo_sameFile_onlyWhereRangesAreApart() throws Exception {
        FileHandle file = file(root, "f");
        write(file, 0, bytes("0123456789"));
        try (OpenFile open = fs.open(ROOT, file, OpenAccess.READ_WRITE)) {
            assertFails(FsError.INVALID, () -> open.copyTo(0, open, 3, 5));
            assertThat(open.copyTo(0, open, 10, 5)).isEqualTo(5);
        }

        assertThat(read(file, 0, 20)).isEqualTo(bytes("012345678901234"));
    }

    /** As copy_file_range(2) has it: what counts is where the bytes are that can be copied. */
    @Test
    @Needs(Capability.COPY)
    void copyTo_sameFileBeyondItsEnd_copiesWhatIsApart() throws Exception {
        FileHandle file = file(root, "f");
        write(file, 0, bytes("0123456789"));
        try (OpenFile open = fs.open(ROOT, file, OpenAccess.READ_WRITE)) {
            assertFails(FsError.INVALID, () -> open.copyTo(4, open, 0, 100));
            assertThat(open.copyTo(6, open, 0, 100)).isEqualTo(4);
            assertThat(open.copyTo(10, open, 12, 100)).isZero();
        }

        assertThat(read(file, 0, 20)).isEqualTo(bytes("6789456789"));
    }

    @Test
    void cloneTo_whereItCannot_changesNothing() throws Exception {
        FileHandle from = file(root, "from");
        FileHandle to = file(root, "to");
        write(from, 0, random(5, 65_536));
        try (OpenFile source = fs.open(ROOT, from, OpenAccess.READ);
                OpenFile target = fs.open(ROOT, to, OpenAccess.READ_WRITE)) {
            try {
                source.cloneTo(0, target, 0, 65_536);
                assertThat(read(target, 0, 65_536)).isEqualTo(random(5, 65_536));
            } catch (FsException e) {
                assertThat(e.error()).isEqualTo(FsError.NOT_SUPPORTED);
                assertThat(target.attributes().sizeBytes()).isZero();
            }
        }
    }
}
