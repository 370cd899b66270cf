package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.fs.local.ShortCalls.outcomeOf;
import static org.warpnfs.fs.local.VerifyingWriters.BLOCK_BYTES;
import static org.warpnfs.fs.local.VerifyingWriters.block;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Stability;

/** Real errors of the kernel, from a device that fails: nothing that was acknowledged as stable is lost. */
class FailingDeviceTest extends DeviceFixture<FailingDevice> {
    /** Blocks written before the device fails, twice that many while it fails, and again after it is healed. */
    private static final int PHASE = 160;

    private static final long LIMIT_SECONDS = 120;

    @BeforeEach
    void start() throws Exception {
        device = FailingDevice.make(base);
        fs = LocalFileSystem.open(device.directory(), LocalOptions.DEFAULTS);
    }

    private void remount() throws IOException {
        fs.close();
        device.remount();
        fs = LocalFileSystem.open(device.directory(), LocalOptions.DEFAULTS);
    }

    @Test
    void backgroundWritebackFails_anyLaterCommitOrItsVerifierSaysSo() throws Exception {
        FileHandle file = create("f");
        long before = fs.writeVerifier();
        try (OpenFile open = openToWrite(file)) {
            open.write(block(1), 0, Stability.UNSTABLE);
        }
        device.fail();

        // Another process on the host makes the kernel write, and consumes the error.
        Process other =
                new ProcessBuilder("sync", device.directory().resolve("f").toString()).start();
        assertThat(other.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(other.exitValue()).as("the device fails").isNotZero();

        device.heal();
        try (OpenFile reader = fs.open(Caller.ROOT, file, OpenAccess.READ)) {
            assertThat(outcomeOf(reader::sync)).isEqualTo(FsError.NO_SPACE);
        }
        assertThat(fs.writeVerifier()).isNotEqualTo(before);

        long after = fs.writeVerifier();
        try (OpenFile open = openToWrite(file)) {
            open.write(block(1), 0, Stability.UNSTABLE);
            open.sync();
        }
        assertThat(fs.writeVerifier()).as("told once").isEqualTo(after);
    }

    @Test
    void manyWritersOfOneFile_deviceFailsAndHeals_keepWhatWasAcknowledged() throws Exception {
        failAndHealUnder(1);
    }

    @Test
    void manyWritersOfManyFiles_deviceFailsAndHeals_keepWhatWasAcknowledged() throws Exception {
        failAndHealUnder(VerifyingWriters.COUNT);
    }

    private void failAndHealUnder(int files) throws Exception {
        VerifyingWriters writers = new VerifyingWriters(fs, files);
        try (writers) {
            writers.goOn(PHASE);
            device.fail();
            writers.goOn(PHASE);
            writers.goOn(PHASE);
            device.heal();
            writers.goOn(PHASE);
            writers.end();
        }
        assertThat(writers.failures()).as("the device failed").isNotEmpty().doesNotContain(FsError.TRY_LATER);
        remount();
        writers.verify(fs);
    }

    @Test
    void fileSystemFull_writes_saySoAndLoseNothing() throws Exception {
        FileHandle small = create("small");
        FileHandle large = create("large");
        long verifier = fs.writeVerifier();
        FsError error = null;
        try (OpenFile kept = openToWrite(small);
                OpenFile open = openToWrite(large)) {
            kept.write(block(1), 0, Stability.UNSTABLE);
            ByteBuffer chunk = ByteBuffer.allocate(1 << 20);
            for (int i = 0; i < 100 && error == null; i++) {
                int at = i;
                error = outcomeOf(() -> open.write(chunk.clear(), (long) at << 20, Stability.UNSTABLE));
            }
            assertThat(error).isEqualTo(FsError.NO_SPACE);
            assertThat(outcomeOf(() -> open.allocate(0, 1 << 30))).isEqualTo(FsError.NO_SPACE);
            kept.sync();
        }

        assertThat(fs.writeVerifier()).as("nothing was lost").isEqualTo(verifier);
    }

    @Test
    void fileSystemReadOnly_changes_saySoAndLoseNothing() throws Exception {
        FileHandle file = create("f");
        try (OpenFile open = openToWrite(file)) {
            open.write(block(1), 0, Stability.FILE_SYNC);
        }
        // No descriptor for writing may be left.
        fs.close();
        device.remountReadOnly();
        fs = LocalFileSystem.open(device.directory(), LocalOptions.DEFAULTS);
        long verifier = fs.writeVerifier();

        assertThat(outcomeOf(() -> create("g"))).isEqualTo(FsError.READ_ONLY);
        assertThat(outcomeOf(() -> fs.remove(Caller.ROOT, fs.root(), FileName.of("f"))))
                .isEqualTo(FsError.READ_ONLY);
        assertThat(outcomeOf(() -> openToWrite(file))).isEqualTo(FsError.READ_ONLY);
        assertThat(outcomeOf(() -> fs.setAttributes(Caller.ROOT, file, AttributeChanges.ofPermissions(0600))))
                .isEqualTo(FsError.READ_ONLY);
        assertThat(fs.writeVerifier()).isEqualTo(verifier);
    }

    @Test
    void fileSystemUnmountedLazily_acknowledgedWrites_areThereWhenItIsBack() throws Exception {
        FileHandle file = create("f");
        device.unmountLazily();
        try (OpenFile open = openToWrite(file)) {
            open.write(block(7), 0, Stability.FILE_SYNC);
        }

        FileHandle made = create("made");
        assertThat(fs.attributes(made).sizeBytes()).isZero();

        fs.close();
        device.mount();
        fs = LocalFileSystem.open(device.directory(), LocalOptions.DEFAULTS);
        ByteBuffer read = ByteBuffer.allocate(BLOCK_BYTES);
        FileHandle again = fs.lookup(Caller.ROOT, fs.root(), FileName.of("f")).handle();
        try (OpenFile open = fs.open(Caller.ROOT, again, OpenAccess.READ)) {
            open.read(read, 0);
        }

        assertThat(read.array()).isEqualTo(block(7).array());

        fs.lookup(Caller.ROOT, fs.root(), FileName.of("made"));
    }
}
