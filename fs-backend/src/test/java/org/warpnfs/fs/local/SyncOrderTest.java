package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.AttributeChanges.TimeChange;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.Timestamp;

/** What is synced for one change, and in which order, as a power cut between two syncs shows. Needs root, to mount. */
class SyncOrderTest extends DeviceFixture<LoopDevice> {
    private static final long LIMIT_SECONDS = 60;

    private final FailingSyncs calls = new FailingSyncs();

    private void serve(LoopDevice made) throws Exception {
        device = made;
        fs = LocalFileSystem.open(device.directory(), LocalOptions.DEFAULTS, calls);
    }

    @AfterEach
    void letSyncsEnd() {
        calls.letGo();
    }

    private FileHandle makeDirectory(String name) throws FsException {
        return fs.makeDirectory(Caller.ROOT, fs.root(), FileName.of(name), AttributeChanges.ofPermissions(0755))
                .handle();
    }

    private FileHandle create(FileHandle directory, AttributeChanges attributes) throws FsException {
        return fs.create(Caller.ROOT, directory, FileName.of("f"), new CreateMode.Guarded(attributes))
                .node()
                .handle();
    }

    /** Makes a change, cuts the power after the first of its two syncs, and shows what is left. */
    private void cutBetweenTheSyncs(Callable<?> change) throws Exception {
        calls.hold();
        FutureTask<?> changing = new FutureTask<>(change);
        Thread.ofPlatform().daemon().start(changing);
        calls.awaitBegin();
        calls.letOneGo();
        calls.awaitBegin();
        LoopDevice.Cut cut = device.cutPower();
        calls.letGo();
        changing.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        fs.close();
        cut.restore();
    }

    private boolean isThere(String path) {
        return Files.exists(device.directory().resolve(path));
    }

    @Test
    void changes_answeredWithoutAJournal_areThereAfterAPowerCut() throws Exception {
        serve(LoopDevice.ext4WithoutJournal(base));
        FileHandle from = makeDirectory("from");
        FileHandle to = makeDirectory("to");
        create(from, AttributeChanges.ofPermissions(0644));
        fs.rename(Caller.ROOT, from, FileName.of("f"), to, FileName.of("f"));
        create(from, AttributeChanges.ofPermissions(0640));

        LoopDevice.Cut cut = device.cutPower();
        fs.close();
        cut.restore();

        assertThat(isThere("to/f")).isTrue();
        assertThat(Files.getAttribute(device.directory().resolve("from/f"), "unix:mode"))
                .isEqualTo(0100640);
    }

    @Test
    void rename_powerIsCutBetweenTheSyncsOfItsDirectories_leavesTheFileAName() throws Exception {
        serve(LoopDevice.ext4WithoutJournal(base));
        FileHandle from = makeDirectory("from");
        FileHandle to = makeDirectory("to");
        create(from, AttributeChanges.ofPermissions(0644));
        Mounts.run("sync");

        cutBetweenTheSyncs(() -> {
            fs.rename(Caller.ROOT, from, FileName.of("f"), to, FileName.of("f"));
            return true;
        });

        assertThat(isThere("from/f") || isThere("to/f")).isTrue();
    }

    @Test
    void create_powerIsCutBetweenTheSyncsOfFileAndDirectory_leavesNoNameWithoutAFile() throws Exception {
        serve(LoopDevice.ext4WithoutJournal(base));
        FileHandle directory = makeDirectory("d");
        Mounts.run("sync");

        cutBetweenTheSyncs(() -> create(directory, AttributeChanges.ofPermissions(0644)));

        for (Path name : list("d")) {
            assertThat(Files.isRegularFile(name)).as(name.toString()).isTrue();
        }
    }

    /**
     * The journal has no marker in a directory where nobody may make files. The times of a new file are set after it
     * was made, perhaps in a later transaction than the one that the directory is in.
     */
    @Test
    void create_journalWithoutAMarker_syncsTheFileToo() throws Exception {
        serve(LoopDevice.ext4(base));
        FileHandle directory = makeDirectory("d");
        fs.close();
        Mounts.run("chattr", "+i", device.directory().toString());
        try {
            fs = LocalFileSystem.open(device.directory(), LocalOptions.DEFAULTS, calls);
            calls.forget();

            create(
                    directory,
                    new AttributeChanges(0644, null, null, null, null, new TimeChange.To(new Timestamp(1000, 0))));

            assertThat(calls.count()).as("the directory and the file").isEqualTo(2);
        } finally {
            fs.close();
            Mounts.run("chattr", "-i", device.directory().toString());
        }
    }

    @Test
    void uncheckedCreate_ofAFileThatExists_syncsTheFileAndItsName() throws Exception {
        serve(LoopDevice.ext4WithoutJournal(base));
        FileHandle directory = makeDirectory("d");
        create(directory, AttributeChanges.ofPermissions(0644));
        for (AttributeChanges attributes :
                List.of(AttributeChanges.ofPermissions(0644), AttributeChanges.ofSize(0), AttributeChanges.ofSize(9))) {
            calls.forget();

            fs.create(Caller.ROOT, directory, FileName.of("f"), new CreateMode.Unchecked(attributes));

            assertThat(calls.count()).as(attributes.toString()).isEqualTo(2);
        }
    }

    private Path[] list(String directory) throws IOException {
        try (var names = Files.list(device.directory().resolve(directory))) {
            return names.toArray(Path[]::new);
        }
    }
}
