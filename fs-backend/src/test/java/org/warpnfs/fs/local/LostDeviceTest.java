package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.fs.local.ShortCalls.outcomeOf;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.local.ShortCalls.Call;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Stability;

/** A real file system that becomes read-only, shuts down, or is unmounted while writers use it, and then comes back. */
class LostDeviceTest extends DeviceFixture<LoopDevice> {
    private static final int PHASE = 400;

    private Path export;

    @BeforeEach
    void start() throws Exception {
        device = LoopDevice.ext4(base);
        export = Files.createDirectory(device.directory().resolve("export"));
        // A file system of its own, so that only what is written needs its journal.
        Mounts.run("sync");
        fs = LocalFileSystem.open(export, LocalOptions.DEFAULTS);
    }

    private interface Event {
        void happen() throws Exception;
    }

    /** Lets writers write while the event happens and after it, and mounts everything again. */
    private VerifyingWriters underWriters(int files, Event event) throws Exception {
        try (VerifyingWriters writers = new VerifyingWriters(fs, files)) {
            writers.goOn(PHASE);
            assertThat(writers.failures()).isEmpty();
            event.happen();
            writers.goOn(PHASE);
            writers.end();
            return writers;
        }
    }

    private void mountAnew() throws IOException {
        fs.close();
        device.remount();
        fs = LocalFileSystem.open(export, LocalOptions.DEFAULTS);
    }

    @Test
    void readOnly_underWritersOfOneFile_keepsWhatWasAcknowledged() throws Exception {
        endsUnderWriters(1, device::abort);
    }

    @Test
    void readOnly_underWritersOfManyFiles_keepsWhatWasAcknowledged() throws Exception {
        endsUnderWriters(VerifyingWriters.COUNT, device::abort);
    }

    @Test
    void gone_underWritersOfOneFile_keepsWhatWasAcknowledged() throws Exception {
        endsUnderWriters(1, device::shutDown);
    }

    @Test
    void gone_underWritersOfManyFiles_keepsWhatWasAcknowledged() throws Exception {
        endsUnderWriters(VerifyingWriters.COUNT, device::shutDown);
    }

    private void endsUnderWriters(int files, Event end) throws Exception {
        long before = fs.writeVerifier();
        VerifyingWriters writers = underWriters(files, end);
        assertThat(writers.failures()).isNotEmpty().isSubsetOf(FsError.READ_ONLY, FsError.IO, FsError.STALE);
        assertThat(fs.writeVerifier()).as("unstable data were lost").isNotEqualTo(before);
        assertThat(outcomeOf(() -> create("late"))).isIn(FsError.READ_ONLY, FsError.IO, FsError.STALE);
        mountAnew();
        writers.verify(fs);
        assertThat(fs.writeVerifier()).isNotEqualTo(before);
        create("now");
    }

    @Test
    void readOnly_nothingUnsynced_verifierStays() throws Exception {
        FileHandle file = create("f");
        try (OpenFile open = fs.open(Caller.ROOT, file, OpenAccess.READ_WRITE)) {
            open.write(ByteBuffer.wrap(new byte[] {1}), 0, Stability.FILE_SYNC);
        }
        long before = fs.writeVerifier();
        device.abort();
        FileName name = FileName.of("f");
        for (Call change : Set.<Call>of(
                () -> create("g"),
                () -> fs.remove(Caller.ROOT, fs.root(), name),
                () -> fs.rename(Caller.ROOT, fs.root(), name, fs.root(), FileName.of("h")),
                () -> fs.link(Caller.ROOT, file, fs.root(), FileName.of("h")),
                () -> fs.setAttributes(Caller.ROOT, file, AttributeChanges.ofPermissions(0600)))) {
            assertThat(outcomeOf(change)).isIn(FsError.READ_ONLY, FsError.IO);
        }

        assertThat(fs.writeVerifier()).as("nothing was lost").isEqualTo(before);

        fs.lookup(Caller.ROOT, fs.root(), name);
    }

    @Test
    void unmountedLazily_underWriters_keepsWhatWasAcknowledged() throws Exception {
        long before = fs.writeVerifier();
        VerifyingWriters writers = underWriters(2, device::unmountLazily);

        assertThat(writers.failures()).isEmpty();
        assertThat(fs.writeVerifier()).as("nothing was lost").isEqualTo(before);

        fs.close();
        device.mount();
        fs = LocalFileSystem.open(export, LocalOptions.DEFAULTS);
        writers.verify(fs);
    }

    @Test
    void exportRenamedAway_underWriters_isServedWhereItIs() throws Exception {
        long before = fs.writeVerifier();
        Path elsewhere = export.resolveSibling("elsewhere");
        VerifyingWriters writers = underWriters(2, () -> Files.move(export, elsewhere));

        assertThat(writers.failures()).isEmpty();
        assertThat(fs.writeVerifier()).as("nothing was lost").isEqualTo(before);
        assertThat(export).doesNotExist();

        fs.close();
        device.remount();
        fs = LocalFileSystem.open(elsewhere, LocalOptions.DEFAULTS);
        writers.verify(fs);
    }

    @Test
    void exportRemoved_anyCall_isStale() throws Exception {
        FileHandle file = create("f");
        Files.delete(export.resolve("f"));
        Files.delete(export);
        long before = fs.writeVerifier();

        assertThat(outcomeOf(() -> create("g"))).isIn(FsError.STALE, FsError.NO_ENTRY);
        assertThat(outcomeOf(() -> fs.attributes(file))).isEqualTo(FsError.STALE);
        assertThat(fs.writeVerifier()).isEqualTo(before);
    }

    @Test
    void anotherFileSystemInItsPlace_afterARestart_hasNoneOfItsHandles() throws Exception {
        FileHandle file = create("f");
        long before = fs.writeVerifier();
        fs.close();
        try (Mounts mounts = new Mounts()) {
            Path other = Files.createDirectory(device.directory().resolve("other"));
            Files.createFile(other.resolve("f"));
            mounts.bind(other, export);
            try (LocalFileSystem replaced = LocalFileSystem.open(export, LocalOptions.DEFAULTS)) {
                assertThat(replaced.writeVerifier()).isNotEqualTo(before);
                assertFails(FsError.STALE, () -> replaced.attributes(file));
            }
        }

        fs = LocalFileSystem.open(export, LocalOptions.DEFAULTS);

        assertThat(fs.attributes(file).sizeBytes()).isZero();
    }

    @Test
    void verifier_withoutALoss_staysUntilTheRestart() throws Exception {
        long before = fs.writeVerifier();

        VerifyingWriters writers = underWriters(2, () -> Mounts.run("sync"));
        assertThat(writers.failures()).isEmpty();
        assertThat(fs.writeVerifier()).isEqualTo(before);

        mountAnew();
        assertThat(fs.writeVerifier()).as("what was not committed may be lost").isNotEqualTo(before);

        writers.verify(fs);
    }
}
