package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FsException;

/** What is synced for one change, and in which order, as a power cut between two syncs shows. Needs root, to mount. */
class SyncOrderTest {
    @TempDir
    Path base;

    private final FailingSyncs calls = new FailingSyncs();
    private LoopDevice device;
    private LocalFileSystem fs;

    private void serve(LoopDevice made) throws Exception {
        device = made;
        fs = LocalFileSystem.open(device.directory(), LocalOptions.DEFAULTS, calls);
    }

    @AfterEach
    void stop() throws Exception {
        calls.letGo();
        if (fs != null) {
            fs.close();
        }
        if (device != null) {
            device.close();
        }
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
}
