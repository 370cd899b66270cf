package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.warpnfs.fs.local.ShortCalls.walk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.OpenCalls;
import org.warpnfs.fs.local.libc.Statx;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;

/** The table of handles in memory: as small as its bound, and one handle for each file. */
class HandleTableTest {
    private static final long TREE = 7;
    private static final Caller ROOT = Caller.ROOT;

    @TempDir
    Path base;

    @Test
    void table_moreFilesThanItsBound_forgetsSomeAndFindsThemAgain() throws Exception {
        Path tree = Files.createDirectory(base.resolve("tree"));
        try (Fd rootFd = HandleLogTest.openDirectory(tree);
                TableHandles handles = new TableHandles(
                        TREE,
                        Superblock.of(AttributeReader.statx(rootFd)),
                        rootFd,
                        HandleLogTest.noFiles(rootFd),
                        base.resolve("state"),
                        10)) {
            List<FileHandle> given = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                FileName name = FileName.of("f" + i);
                Files.createFile(tree.resolve(name.toString()));
                try (Fd file = OpenCalls.openAt(rootFd, name.toBytes(), OpenCalls.O_PATH)) {
                    given.add(handles.of(file, AttributeReader.statx(file), handles.root(), name));
                }
                assertThat(handles.size()).isLessThanOrEqualTo(10);
            }
            for (FileHandle handle : given) {
                handles.open(handle).close();
            }
            assertThat(handles.size()).isLessThanOrEqualTo(10);
            assertThat(entriesOf(base.resolve("state"))).isLessThanOrEqualTo(400);
        }
    }

    /** Number of records in the log, computed from its length. The log is in use. */
    private static long entriesOf(Path state) throws IOException {
        return Files.size(HandleLogTest.logIn(state)) / 70;
    }

    @Test
    void open_fileWasDeletedOnTheHost_isStaleAndForgotten() throws Exception {
        Path tree = Files.createDirectory(base.resolve("tree"));
        try (Fd rootFd = HandleLogTest.openDirectory(tree);
                TableHandles handles = new TableHandles(
                        TREE,
                        Superblock.of(AttributeReader.statx(rootFd)),
                        rootFd,
                        HandleLogTest.noFiles(rootFd),
                        null)) {
            Files.createFile(tree.resolve("f"));
            FileHandle handle;
            try (Fd file = OpenCalls.openAt(rootFd, FileName.of("f").toBytes(), OpenCalls.O_PATH)) {
                handle = handles.of(file, AttributeReader.statx(file), handles.root(), FileName.of("f"));
            }
            Files.delete(tree.resolve("f"));
            assertStale(handles, handle);
            assertThat(handles.size()).isEqualTo(1);
            handles.forgetWhatIsMissing();
            assertStale(handles, handle);
            assertThat(handles.size()).isZero();
            assertStale(handles, handle);
        }
    }

    private static void assertStale(TableHandles handles, FileHandle handle) {
        assertThatThrownBy(() -> handles.open(handle))
                .isInstanceOfSatisfying(
                        FsException.class, e -> assertThat(e.error()).isEqualTo(FsError.STALE));
    }

    @Test
    void keys_oneInodeNumberInTwoSubvolumesOrOfTwoGenerations_differ() throws Exception {
        Path file = Files.createFile(base.resolve("f"));
        try (Fd rootFd = HandleLogTest.openDirectory(base);
                Fd fd = OpenCalls.openAt(rootFd, FileName.of("f").toBytes(), OpenCalls.O_PATH)) {
            Statx root = AttributeReader.statx(rootFd);
            FileKeys keys = new FileKeys(rootFd, root);
            FileKey key = keys.of(fd, AttributeReader.statx(fd));
            assertThat(key.space()).isZero();
            assertThat(keys.overAllTrees(key)).isNotEqualTo(key);
            assertThat(key.generation()).as("generation of " + file).isNotZero();
        }
    }

    @Test
    void handles_ofASnapshotBelowTheTree_areOthersThanThoseOfItsOrigin() throws Exception {
        try (LoopDevice device = LoopDevice.btrfs(base)) {
            Path mount = device.directory();
            Mounts.run("btrfs", "subvolume", "create", mount.resolve("origin").toString());
            Files.writeString(mount.resolve("origin/f"), "one");
            Mounts.run(
                    "btrfs",
                    "subvolume",
                    "snapshot",
                    mount.resolve("origin").toString(),
                    mount.resolve("snapshot").toString());
            for (LocalOptions options : List.of(LocalOptions.DEFAULTS, LocalOptions.DEFAULTS.withoutKernelHandles())) {
                try (LocalFileSystem whole = LocalFileSystem.open(mount, options);
                        LocalFileSystem nested = LocalFileSystem.open(mount.resolve("snapshot"), options)) {
                    FileHandle origin = walk(whole, "origin/f");
                    FileHandle snapshot = walk(whole, "snapshot/f");
                    assertThat(snapshot).isNotEqualTo(origin);
                    assertThat(whole.identity(snapshot))
                            .isNotEqualTo(whole.identity(origin))
                            .isEqualTo(nested.identity(walk(nested, "f")));
                    assertThat(whole.lookupParent(ROOT, walk(whole, "snapshot")).handle())
                            .isEqualTo(whole.root());
                }
            }
        }
    }
}
