package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.fs.local.ShortCalls.walk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileAttribute;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FsException;

/** Subvolumes of btrfs within a tree: the kernel gives the root of each the inode number 256. */
class SubvolumesTest {
    private static final List<String> SUBVOLUMES = List.of("a", "b", "d/c", "s");

    private static final Caller ROOT = Caller.ROOT;

    @TempDir
    Path base;

    private LoopDevice device;
    private Path tree;

    @BeforeEach
    void makeSubvolumes() throws IOException {
        device = LoopDevice.btrfs(base);
        tree = device.directory();
        Mounts.run("btrfs", "subvolume", "create", tree.resolve("a").toString());
        Mounts.run("btrfs", "subvolume", "create", tree.resolve("b").toString());
        Files.writeString(tree.resolve("a/f"), "of a");
        Files.writeString(tree.resolve("b/f"), "of b");
        // These take the inode numbers that subvolumes have as their numbers.
        for (int file = 0; file < 10; file++) {
            Files.createFile(tree.resolve("file" + file));
        }
        Files.createDirectory(tree.resolve("d"));
        Mounts.run("btrfs", "subvolume", "create", tree.resolve("d/c").toString());
        Mounts.run(
                "btrfs",
                "subvolume",
                "snapshot",
                tree.resolve("a").toString(),
                tree.resolve("s").toString());
    }

    @AfterEach
    void unmount() throws IOException {
        device.close();
    }

    private static Map<String, Long> listed(LocalFileSystem files, FileHandle directory, boolean withNodes)
            throws FsException {
        Map<String, Long> ids = new HashMap<>();
        assertThat(files.list(ROOT, directory, 0, withNodes, entry -> {
                    ids.put(entry.name().toString(), entry.fileId());
                    return true;
                }))
                .isTrue();
        return ids;
    }

    @Test
    void fileIds_ofRootsOfSubvolumes_areThoseOfNoOtherFile_howeverTheyAreAsked() throws Exception {
        try (LocalFileSystem files = LocalFileSystem.open(tree, LocalOptions.DEFAULTS)) {
            Map<String, Long> plain = listed(files, files.root(), false);
            assertThat(plain).hasSize(14);
            assertThat(new HashSet<>(plain.values())).as("of %s", plain).hasSize(14);
            assertThat(plain.values())
                    .doesNotContain(files.attributes(files.root()).fileId());
            assertThat(listed(files, files.root(), true)).isEqualTo(plain);
            for (String name : plain.keySet()) {
                FileHandle handle = walk(files, name);
                assertThat(files.attributes(handle).fileId()).as(name).isEqualTo(plain.get(name));
                assertThat(files.attributes(handle, FileAttribute.NONE).fileId())
                        .as(name)
                        .isEqualTo(plain.get(name));
            }
            long deep = files.attributes(walk(files, "d/c")).fileId();
            assertThat(plain.values()).doesNotContain(deep);
            assertThat(listed(files, walk(files, "d"), false)).containsOnly(Map.entry("c", deep));
            assertThat(files.lookupParent(ROOT, walk(files, "d/c")).attributes().fileId())
                    .isEqualTo(plain.get("d"));
        }
    }

    private Map<String, Long> fileSystemIds(List<String> order) throws Exception {
        Map<String, Long> ids = new HashMap<>();
        try (LocalFileSystem files = LocalFileSystem.open(tree, LocalOptions.DEFAULTS)) {
            ids.put("", files.attributes(files.root()).fileSystemId());
            for (String path : order) {
                FileAttributes attributes = files.attributes(walk(files, path));
                ids.put(path, attributes.fileSystemId());
            }
            for (String name : List.of("a", "b")) {
                FileHandle file = walk(files, name + "/f");
                assertThat(files.attributes(file).fileSystemId()).isEqualTo(ids.get(name));
            }
        }
        return ids;
    }

    @Test
    void eachSubvolume_isAFileSystem_whoseIdOutlivesARemount() throws Exception {
        Map<String, Long> before = fileSystemIds(SUBVOLUMES);
        assertThat(Set.copyOf(before.values())).hasSize(SUBVOLUMES.size() + 1);
        device.remount();
        // The kernel numbers the devices of subvolumes in the order in which they are used.
        assertThat(fileSystemIds(SUBVOLUMES.reversed())).isEqualTo(before);
    }
}
