package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.fs.local.libc.AttributeCalls;
import org.warpnfs.fs.local.libc.Errno;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.OpenCalls;
import org.warpnfs.fs.local.libc.Statx;
import org.warpnfs.fs.spi.FileHandle;

/** How long {@link FdCache} keeps the descriptor of a file that nobody has open. */
class IdleDescriptorsTest {
    private static final int LIMIT_SECONDS = 20;
    private static final int SET_GID = 02000;
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(FdCache.IDLE_SECONDS);

    @TempDir
    Path tree;

    private final AtomicLong nowNanos = new AtomicLong();
    private final FailingSyncs syncs = new FailingSyncs();
    private final FileHandle handle = FileHandle.of(new byte[] {1});
    private final FileHandle other = FileHandle.of(new byte[] {2});
    private Fd root;
    private Durability durability;
    private FdCache files;

    @BeforeEach
    void start() throws Exception {
        Files.writeString(tree.resolve("f"), "f");
        Files.writeString(tree.resolve("other"), "o");
        root = OpenCalls.open(bytes(tree), OpenCalls.O_RDONLY | OpenCalls.O_DIRECTORY);
        durability = new Durability(syncs, root, new Durability.Kind(false, false), SyncWaits.UNCOUNTED);
        files = new FdCache(8, durability, DescriptorBudget.of(1024), nowNanos::get);
    }

    @AfterEach
    void stop() {
        files.close();
        durability.close();
        root.close();
    }

    private static byte[] bytes(Path path) {
        return path.toString().getBytes(StandardCharsets.UTF_8);
    }

    private CachedFd open() throws Exception {
        return open(handle, "f");
    }

    private CachedFd open(FileHandle file, String name) throws Exception {
        Fd fd = OpenCalls.open(bytes(tree.resolve(name)), OpenCalls.O_RDWR);
        return files.open(file, true, () -> fd);
    }

    /** Starts a sweep that waits in the sync of one file while the other one, unsynced too, has its turn to come. */
    private Thread sweepBothUnsynced() throws Exception {
        return sweepBothUnsynced(() -> true);
    }

    private Thread sweepBothUnsynced(BooleanSupplier maySync) throws Exception {
        for (CachedFd entry : List.of(open(), open(other, "other"))) {
            entry.gate().changed();
            files.release(entry);
        }
        syncs.hold();
        nowNanos.set(IDLE_NANOS);
        Thread sweeping = Thread.ofPlatform().start(() -> files.sweep(maySync));
        syncs.awaitBegin();
        return sweeping;
    }

    @Test
    void idle_forTheWholeTime_isClosedByTheNextSweep() throws Exception {
        files.release(open());

        nowNanos.set(IDLE_NANOS - 1);
        files.sweep(() -> true);
        assertThat(files.idleCount()).isEqualTo(1);

        nowNanos.set(IDLE_NANOS);
        files.sweep(() -> true);
        assertThat(files.idleCount()).isZero();
        assertThat(files.findAny(handle)).isNull();
    }

    @Test
    void used_again_isKeptForTheWholeTimeFromThen() throws Exception {
        files.release(open());
        nowNanos.set(IDLE_NANOS - 1);
        files.release(files.findAny(handle));

        nowNanos.set(IDLE_NANOS + 1);
        files.sweep(() -> true);

        assertThat(files.idleCount()).isEqualTo(1);
    }

    @Test
    void inUse_forLongerThanThat_stays() throws Exception {
        CachedFd entry = open();

        nowNanos.set(2 * IDLE_NANOS);
        files.sweep(() -> true);

        CachedFd found = files.findAny(handle);
        assertThat(found).isSameAs(entry);
        files.release(found);
        files.release(entry);
        assertThat(files.idleCount()).isEqualTo(1);
    }

    @Test
    void removedWhileInUse_isClosedWhenItsLastUseEnds() throws Exception {
        CachedFd entry = open();
        CachedFd again = files.findAny(handle);
        Files.delete(tree.resolve("f"));
        files.forget(handle);

        files.release(again);
        assertThat(files.findAny(handle)).isSameAs(entry);
        files.release(entry);
        files.release(entry);

        assertThat(files.findAny(handle)).isNull();
    }

    @Test
    void removedOnTheHost_isClosedByTheNextSweep() throws Exception {
        CachedFd entry = open();
        Files.delete(tree.resolve("f"));

        files.sweep(() -> true);
        files.release(entry);
        assertThat(files.idleCount()).isEqualTo(1);
        files.sweep(() -> true);

        assertThat(files.idleCount()).isZero();
        assertThat(files.findAny(handle)).isNull();
    }

    /** A descriptor that is being opened is not in the cache yet, so nobody can tell it there. */
    @Test
    void removedWhileBeingOpened_isClosedWhenItsLastUseEnds() throws Exception {
        CachedFd entry = openWhile(() -> {
            Files.delete(tree.resolve("f"));
            files.forget(handle);
        });

        files.release(entry);

        assertThat(files.findAny(handle)).isNull();
    }

    @Test
    void changedInModeWhileBeingOpened_hasTheModeThatTheFileHasThen() throws Exception {
        CachedFd entry = openWhile(this::setGroupIdBit);

        assertThat(entry.mode() & SET_GID).isNotZero();
        files.release(entry);
    }

    @Test
    void changedInMode_whileAnotherReadsIt_hasTheModeThatTheFileHasThen() throws Exception {
        CachedFd entry = open();
        long look = entry.look();
        Statx before = AttributeReader.statx(entry.fd());
        setGroupIdBit();
        entry.seen(look, before);

        assertThat(entry.mode() & SET_GID).isNotZero();
        files.release(entry);
    }

    private void setGroupIdBit() throws Exception {
        try (Fd fd = OpenCalls.open(bytes(tree.resolve("f")), OpenCalls.O_PATH)) {
            AttributeCalls.chmod(fd, SET_GID | 0644);
        }
        files.modeChanged(handle);
    }

    /** Opens the file, and makes a change between the look at the file and the entry in the cache. */
    private CachedFd openWhile(Change change) throws Exception {
        FutureTask<CachedFd> opened = new FutureTask<>(this::open);
        FdCache cache = files;
        synchronized (cache) {
            Thread opening = Thread.ofPlatform().start(opened);
            awaitBlocked(opening);
            change.make();
        }
        return opened.get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    private static void awaitBlocked(Thread thread) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (thread.getState() != Thread.State.BLOCKED) {
            assertThat(System.nanoTime() - deadline)
                    .as("it never waited for the lock")
                    .isNegative();
            Thread.onSpinWait();
        }
    }

    private interface Change {
        void make() throws Exception;
    }

    @Test
    void openedWithoutAName_isClosedWhenItsLastUseEnds() throws Exception {
        Fd fd = OpenCalls.open(bytes(tree.resolve("f")), OpenCalls.O_RDWR);
        Files.delete(tree.resolve("f"));

        files.release(files.open(handle, true, () -> fd));

        assertThat(files.findAny(handle)).isNull();
    }

    @Test
    void unsynced_idleForTheWholeTime_isSyncedAndClosed() throws Exception {
        CachedFd entry = open();
        entry.gate().changed();
        files.release(entry);

        nowNanos.set(IDLE_NANOS);
        files.sweep(() -> true);

        assertThat(syncs.count()).isEqualTo(1);
        assertThat(files.findAny(handle)).isNull();
    }

    @Test
    void unsynced_syncFails_movesTheVerifier() throws Exception {
        CachedFd entry = open();
        entry.gate().changed();
        files.release(entry);
        long before = durability.verifier();
        syncs.fail(Errno.EIO);

        nowNanos.set(IDLE_NANOS);
        files.sweep(() -> true);

        assertThat(durability.verifier()).isNotEqualTo(before);
        assertThat(files.findAny(handle)).isNull();
    }

    @Test
    void unsynced_whileAnotherIsSynced_isClosedIfSomebodyNeedsThat() throws Exception {
        Thread sweeping = sweepBothUnsynced();
        try {
            assertThat(files.idleCount()).isEqualTo(1);
            files.forget(other);
            assertThat(files.findAny(other)).isNull();
        } finally {
            syncs.letGo();
            sweeping.join();
        }
        assertThat(files.findAny(handle)).isNull();
        assertThat(syncs.count()).isEqualTo(1);
    }

    /** The sweep that closes one must not count as a user of the others. */
    @Test
    void idle_whileTheSweepClosesAnother_isClosedIfSomebodyNeedsThat() throws Exception {
        files.release(open());
        files.release(open(other, "other"));
        nowNanos.set(IDLE_NANOS);
        JournalMarker marker = durability.marker();
        Thread sweeping;
        int closed;
        // To close a descriptor that is open for writing takes this lock.
        synchronized (marker) {
            sweeping = Thread.ofPlatform().start(() -> files.sweep(() -> true));
            awaitBlocked(sweeping);
            closed = files.closeIdle(Long.MAX_VALUE);
        }
        sweeping.join();

        assertThat(closed).isEqualTo(1);
        assertThat(files.idleCount()).isZero();
    }

    @Test
    void unsynced_usedWhileAnotherIsSynced_isKept() throws Exception {
        Thread sweeping = sweepBothUnsynced();
        try {
            files.release(files.findAny(other));
        } finally {
            syncs.letGo();
            sweeping.join();
        }
        assertThat(files.idleCount()).isEqualTo(1);
        assertThat(syncs.count()).isEqualTo(1);
    }

    /** A tree that is being closed waits for the sync that runs, and for no other. */
    @Test
    void unsynced_treeIsClosedWhileAnotherIsSynced_isNotSynced() throws Exception {
        AtomicBoolean open = new AtomicBoolean(true);
        Thread sweeping = sweepBothUnsynced(open::get);
        try {
            open.set(false);
        } finally {
            syncs.letGo();
            sweeping.join();
        }
        assertThat(syncs.count()).isEqualTo(1);
        assertThat(files.idleCount()).isEqualTo(1);
    }
}
