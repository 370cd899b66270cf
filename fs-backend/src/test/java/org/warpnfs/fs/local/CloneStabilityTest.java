package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.fs.local.libc.Errno;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Stability;

/**
 * A clone has no COMMIT (RFC 7862, section 15.13), so it is on stable storage once it is answered. Tested on btrfs,
 * which can clone.
 */
class CloneStabilityTest extends DeviceFixture<LoopDevice> {
    private static final int LENGTH_BYTES = 65_536;

    private final FailingSyncs calls = new FailingSyncs();

    @BeforeEach
    void start() throws Exception {
        device = LoopDevice.btrfs(base);
        fs = LocalFileSystem.open(device.directory(), LocalOptions.DEFAULTS, calls);
    }

    private static byte[] contents() {
        byte[] bytes = new byte[LENGTH_BYTES];
        new Random(1).nextBytes(bytes);
        return bytes;
    }

    private static byte[] read(OpenFile file) throws FsException {
        ByteBuffer sink = ByteBuffer.allocate((int) file.attributes().sizeBytes());
        file.read(sink, 0);
        return sink.array();
    }

    private void assertCloneFails(OpenFile from, OpenFile to) {
        assertFails(FsError.IO, () -> from.cloneTo(0, to, 0, LENGTH_BYTES));
    }

    @Test
    void clone_answered_isThereAfterThePowerWasCut() throws Exception {
        LoopDevice.Cut cut;
        try (OpenFile from = openToWrite(create("from"));
                OpenFile to = openToWrite(create("to"))) {
            from.write(ByteBuffer.wrap(contents()), 0, Stability.UNSTABLE);
            from.cloneTo(0, to, 0, LENGTH_BYTES);
            cut = device.cutPower();
        }
        fs.close();
        cut.restore();
        fs = LocalFileSystem.open(device.directory(), LocalOptions.DEFAULTS);
        FileHandle to = fs.lookup(Caller.ROOT, fs.root(), FileName.of("to")).handle();
        try (OpenFile open = fs.open(Caller.ROOT, to, OpenAccess.READ)) {
            assertThat(read(open)).isEqualTo(contents());
        }
    }

    /** A client asks for no other range than those that clone_blksize permits. */
    @ParameterizedTest
    @ValueSource(strings = {"btrfs", "xfs"})
    void clone_ofBlocksOfTheLengthThatTheLimitsName_works(String type) throws Exception {
        if (type.equals("xfs")) {
            fs.close();
            device.close();
            Files.delete(device.directory());
            Files.delete(base.resolve("image"));
            device = LoopDevice.xfs(base);
            fs = LocalFileSystem.open(device.directory(), LocalOptions.DEFAULTS, calls);
        }
        int block = fs.limits().cloneBlockBytes();
        assertThat(block).isPositive();
        try (OpenFile from = openToWrite(create("from"));
                OpenFile to = openToWrite(create("to"))) {
            from.write(ByteBuffer.wrap(contents()), 0, Stability.UNSTABLE);

            from.cloneTo(block, to, 2L * block, block);
            assertFails(FsError.INVALID, () -> from.cloneTo(block / 2, to, 0, block));
        }
    }

    @Test
    void clone_syncFails_isAnErrorAndMovesTheVerifier() throws Exception {
        try (OpenFile from = openToWrite(create("from"));
                OpenFile to = openToWrite(create("to"))) {
            from.write(ByteBuffer.wrap(contents()), 0, Stability.FILE_SYNC);
            long before = fs.writeVerifier();
            calls.fail(Errno.EIO);

            assertCloneFails(from, to);
            assertThat(fs.writeVerifier()).isNotEqualTo(before);

            long failed = fs.writeVerifier();
            calls.heal();
            from.cloneTo(0, to, 0, LENGTH_BYTES);
            assertThat(fs.writeVerifier()).isEqualTo(failed);
        }
    }

    @Test
    void clone_whatWasWrittenToItsSourceIsLost_isNotMade() throws Exception {
        try (OpenFile from = openToWrite(create("from"));
                OpenFile to = openToWrite(create("to"))) {
            from.write(ByteBuffer.wrap(contents()), 0, Stability.UNSTABLE);
            long before = fs.writeVerifier();
            calls.fail(Errno.EIO);

            assertCloneFails(from, to);
            assertThat(fs.writeVerifier()).isNotEqualTo(before);
            assertThat(to.attributes().sizeBytes()).as("nothing was cloned").isZero();

            calls.heal();
        }
    }
}
