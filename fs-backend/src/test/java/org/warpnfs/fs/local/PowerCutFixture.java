package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.fs.local.ShortCalls.walk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Stability;

/**
 * Cuts the power right behind the answer to each of some changes, on each of the file systems that the backend
 * distinguishes. Needs root, to mount.
 */
abstract class PowerCutFixture extends DeviceFixture<LoopDevice> {
    static final Caller ROOT = Caller.ROOT;
    static final AttributeChanges MODE = AttributeChanges.ofPermissions(0644);
    static final int LENGTH_BYTES = 20_000;

    @Test
    void ext4() throws Exception {
        assertAllLast(LoopDevice.ext4(base));
    }

    @Test
    void ext4_withFastCommits() throws Exception {
        assertAllLast(LoopDevice.ext4WithFastCommits(base));
    }

    @Test
    void ext4_withoutAJournal() throws Exception {
        assertAllLast(LoopDevice.ext4WithoutJournal(base));
    }

    @Test
    void xfs() throws Exception {
        assertAllLast(LoopDevice.xfs(base));
    }

    @Test
    void btrfs() throws Exception {
        assertAllLast(LoopDevice.btrfs(base));
    }

    interface Change {
        void make() throws Exception;
    }

    interface Look {
        Object at() throws Exception;
    }

    record Case(Change before, Change change, Look look) {}

    Path path(String name) {
        return device.directory().resolve(name);
    }

    FileHandle find(String path) throws Exception {
        return walk(fs, path);
    }

    FileHandle create(String directory, String name) throws Exception {
        return create(find(directory), name);
    }

    void mkdir(String name) throws Exception {
        fs.makeDirectory(ROOT, fs.root(), FileName.of(name), AttributeChanges.ofPermissions(0755));
    }

    void write(String path, int length, Stability stability) throws Exception {
        try (OpenFile open = fs.open(ROOT, find(path), OpenAccess.WRITE)) {
            ByteBuffer data = ByteBuffer.allocate(length);
            while (data.hasRemaining()) {
                data.put((byte) 'x');
            }
            open.write(data.flip(), 0, stability);
        }
    }

    void set(String path, AttributeChanges changes) throws Exception {
        fs.setAttributes(ROOT, find(path), changes);
    }

    Object contents(String path) throws IOException {
        byte[] all = Files.readAllBytes(path(path));
        int written = 0;
        for (byte b : all) {
            written += b == 'x' ? 1 : 0;
        }
        return all.length + " bytes, written " + written;
    }

    Object attribute(String path, String name) throws IOException {
        return Files.getAttribute(path(path), "unix:" + name, LinkOption.NOFOLLOW_LINKS);
    }

    Object isThere(String path) {
        return Files.exists(path(path), LinkOption.NOFOLLOW_LINKS);
    }

    /** The changes by name, in the order in which they are made. */
    abstract Map<String, Case> cases();

    private void assertAllLast(LoopDevice made) throws Exception {
        device = made;
        fs = LocalFileSystem.open(device.directory(), LocalOptions.DEFAULTS);
        mkdir("a");
        mkdir("b");
        List<String> lost = new ArrayList<>();
        for (Map.Entry<String, Case> each : cases().entrySet()) {
            Case change = each.getValue();
            change.before().make();
            Mounts.run("sync", "-f", device.directory().toString());
            change.change().make();
            LoopDevice.Cut cut = device.cutPower();
            Object before = change.look().at();
            fs.close();
            cut.restore();
            Object after;
            try {
                after = change.look().at();
            } catch (IOException e) {
                after = e;
            }
            if (!before.equals(after)) {
                lost.add(each.getKey() + ": " + before + " became " + after);
            }
            fs = LocalFileSystem.open(device.directory(), LocalOptions.DEFAULTS);
        }
        assertThat(lost).isEmpty();
    }
}
