package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.fs.local.ShortCalls.assertFails;
import static org.warpnfs.fs.local.ShortCalls.walk;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.DirectoryEntry;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;

/** No lookup of a parent leads out of a tree, whatever users of the host move. */
class AncestryTest {
    private static final List<LocalOptions> KINDS = List.of(
            LocalOptions.DEFAULTS,
            LocalOptions.DEFAULTS.withoutKernelHandles(),
            LocalOptions.DEFAULTS.withoutPrivileges());

    @TempDir
    Path base;

    private Path tree;
    private Path outside;

    @BeforeEach
    void prepare() throws Exception {
        tree = Files.createDirectory(base.resolve("tree"));
        outside = Files.createDirectory(base.resolve("outside"));
        Files.createDirectories(tree.resolve("a/b/c"));
    }

    private static void assertStale(ThrowingCallable call) {
        assertFails(FsError.STALE, call);
    }

    @Test
    void lookupParent_directoryWasMovedOut_isStale() throws Exception {
        for (LocalOptions options : KINDS) {
            try (LocalFileSystem fs = LocalFileSystem.open(tree, options)) {
                FileHandle b = walk(fs, "a/b");
                FileHandle c = walk(fs, "a/b/c");
                Files.move(tree.resolve("a/b"), outside.resolve("b"));
                assertStale(() -> fs.lookupParent(Caller.ROOT, b));
                assertStale(() -> fs.lookupParent(Caller.ROOT, c));
                Files.move(outside.resolve("b"), tree.resolve("b"));
                walk(fs, "b/c");
                assertThat(fs.lookupParent(Caller.ROOT, b).handle()).isEqualTo(fs.root());
                assertThat(fs.lookupParent(Caller.ROOT, c).handle()).isEqualTo(b);
                Files.move(tree.resolve("b"), tree.resolve("a/b"));
            }
        }
    }

    @Test
    void lookupParent_treeIsABindMountAndItsDirectoryLeftIt_isStale() throws Exception {
        Mounts.assumePossible();
        Path bound = Files.createDirectory(base.resolve("bound"));
        try (Mounts mounts = new Mounts()) {
            mounts.bind(tree, bound);
            for (LocalOptions options : KINDS) {
                try (LocalFileSystem fs = LocalFileSystem.open(bound, options)) {
                    FileHandle b = walk(fs, "a/b");
                    assertThat(fs.lookupParent(Caller.ROOT, b).handle()).isEqualTo(walk(fs, "a"));
                    Files.move(tree.resolve("a/b"), outside.resolve("b"));
                    assertStale(() -> fs.lookupParent(Caller.ROOT, b));
                    Files.move(outside.resolve("b"), tree.resolve("a/b"));
                }
            }
        }
    }

    @Test
    void directoryWasMovedOut_itsHandleOfTheKernels_staysGoodForItAndWhatIsBelow() throws Exception {
        Assumptions.assumeTrue(LocalBackend.IS_ROOT, "only root has handles of the kernel");
        try (LocalFileSystem fs = LocalFileSystem.open(tree, LocalOptions.DEFAULTS)) {
            FileHandle b = walk(fs, "a/b");
            Files.move(tree.resolve("a/b"), outside.resolve("b"));
            List<DirectoryEntry> entries = new ArrayList<>();
            fs.list(Caller.ROOT, b, 0, true, entries::add);
            assertThat(entries).extracting(entry -> entry.name().toString()).containsExactly("c");
            assertStale(
                    () -> fs.lookupParent(Caller.ROOT, entries.getFirst().node().handle()));
        }
    }

    @Test
    void lookupParent_whileTheHostMovesTheDirectoryInAndOut_neverShowsTheOutside() throws Exception {
        for (LocalOptions options : KINDS) {
            try (LocalFileSystem fs = LocalFileSystem.open(tree, options)) {
                FileHandle a = walk(fs, "a");
                FileHandle b = walk(fs, "a/b");
                AtomicBoolean ended = new AtomicBoolean();
                FutureTask<Integer> host = new FutureTask<>(() -> {
                    int moves = 0;
                    while (!ended.get()) {
                        Files.move(tree.resolve("a/b"), outside.resolve("b"), StandardCopyOption.ATOMIC_MOVE);
                        Files.move(outside.resolve("b"), tree.resolve("a/b"), StandardCopyOption.ATOMIC_MOVE);
                        moves++;
                    }
                    return moves;
                });
                Thread.ofPlatform().start(host);
                try {
                    for (int i = 0; i < 1000; i++) {
                        try {
                            assertThat(fs.lookupParent(Caller.ROOT, b).handle()).isEqualTo(a);
                        } catch (FsException e) {
                            assertThat(e.error()).isEqualTo(FsError.STALE);
                        }
                    }
                } finally {
                    ended.set(true);
                }
                assertThat(host.get()).isPositive();
            }
        }
    }
}
