package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.warpnfs.fs.local.ShortCalls.walk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
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
                        () -> 10)) {
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

    /** After a clean stop the log is believed: a file that it lacks is not searched for. */
    @Test
    void table_changedByTwoThreadsAtATime_isTheSameAfterACleanStop() throws Exception {
        int count = 4000;
        Path tree = Files.createDirectory(base.resolve("tree"));
        Path state = base.resolve("state");
        for (int i = 0; i < count; i++) {
            Files.createFile(tree.resolve("f" + i));
        }
        List<FileHandle> opened = new ArrayList<>();
        try (Fd rootFd = HandleLogTest.openDirectory(tree)) {
            try (TableHandles handles = HandleLogTest.open(rootFd, state)) {
                List<FileHandle> given = new ArrayList<>();
                for (int i = 0; i < count; i++) {
                    given.add(find(handles, rootFd, i));
                }
                AtomicInteger arrived = new AtomicInteger();
                FutureTask<Void> finding = new FutureTask<>(() -> {
                    for (int i = 0; i < count; i++) {
                        meet(arrived, i);
                        find(handles, rootFd, i);
                    }
                    return null;
                });
                Thread.ofPlatform().daemon().start(finding);
                for (int i = 0; i < count; i++) {
                    meet(arrived, i);
                    handles.removed(given.get(i), handles.root(), FileName.of("f" + i), true);
                }
                finding.get();
                for (FileHandle handle : given) {
                    if (opens(handles, handle)) {
                        opened.add(handle);
                    }
                }
            }
            try (TableHandles handles = HandleLogTest.open(rootFd, state)) {
                assertThat(opened).allMatch(handle -> opens(handles, handle));
            }
        }
    }

    private static FileHandle find(TableHandles handles, Fd rootFd, int number) throws Exception {
        FileName name = FileName.of("f" + number);
        try (Fd file = OpenCalls.openAt(rootFd, name.toBytes(), OpenCalls.O_PATH)) {
            return handles.of(file, AttributeReader.statx(file), handles.root(), name);
        }
    }

    private static boolean opens(TableHandles handles, FileHandle handle) {
        try {
            handles.open(handle).close();
            return true;
        } catch (FsException e) {
            return false;
        }
    }

    /** Lets two threads go on at the same time. */
    @Test
    void table_otherFileSystemsComeToShareTheHeap_hasFewerEntriesBeforeLong() throws Exception {
        Path tree = Files.createDirectory(base.resolve("tree"));
        AtomicInteger trees = new AtomicInteger(1);
        try (Fd rootFd = HandleLogTest.openDirectory(tree);
                TableHandles handles = new TableHandles(
                        TREE,
                        Superblock.of(AttributeReader.statx(rootFd)),
                        rootFd,
                        HandleLogTest.noFiles(rootFd),
                        base.resolve("state"),
                        () -> 40 / trees.get())) {
            for (int i = 0; i < 60; i++) {
                FileName name = FileName.of("f" + i);
                Files.createFile(tree.resolve(name.toString()));
                if (i == 50) {
                    assertThat(handles.size()).isEqualTo(40);
                    trees.set(4);
                }
                int before = handles.size();
                try (Fd file = OpenCalls.openAt(rootFd, name.toBytes(), OpenCalls.O_PATH)) {
                    handles.of(file, AttributeReader.statx(file), handles.root(), name);
                }
                assertThat(handles.size()).as("what one call replaces").isGreaterThanOrEqualTo(before - 8);
            }
            assertThat(handles.size()).isEqualTo(10);
        }
    }

    private static void meet(AtomicInteger arrived, int round) {
        int _ = arrived.incrementAndGet();
        while (arrived.get() < 2 * (round + 1)) {
            Thread.onSpinWait();
        }
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
