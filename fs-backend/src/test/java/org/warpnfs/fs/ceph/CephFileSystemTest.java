package org.warpnfs.fs.ceph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.warpnfs.fs.ceph.libcephfs.Mount;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.BackendException;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.Lease;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.OwnerLocks;
import org.warpnfs.fs.spi.Stability;
import org.warpnfs.testkit.ceph.CephCluster;

/** What the backend of Ceph has beyond the contract: snapshots, quotas, other gateways, and the end of its mount. */
@Timeout(120)
class CephFileSystemTest {
    private static final Caller ROOT = Caller.ROOT;
    private static final AttributeChanges ORDINARY = AttributeChanges.ofPermissions(0755);

    private CephBackend backend;
    private FileSystem fs;

    @BeforeEach
    void start() throws Exception {
        backend = CephBackend.inSharedCluster();
        fs = backend.start();
    }

    @AfterEach
    void stop() {
        if (fs != null) {
            fs.close();
        }
    }

    private static FileName name(String name) throws FsException {
        return FileName.of(name);
    }

    private FileHandle file(String name) throws FsException {
        return fs.create(ROOT, fs.root(), name(name), new CreateMode.Guarded(ORDINARY))
                .node()
                .handle();
    }

    private static void write(OpenFile open, String text, Stability stability) throws FsException {
        open.write(ByteBuffer.wrap(CephBackend.bytes(text)), 0, stability);
    }

    private static String read(FileSystem from, FileHandle file) throws FsException {
        try (OpenFile open = from.open(ROOT, file, OpenAccess.READ)) {
            ByteBuffer sink = ByteBuffer.allocate(100);
            int length = open.read(sink, 0);
            return new String(sink.array(), 0, length, StandardCharsets.UTF_8);
        }
    }

    private static FsError error(Throwable thrown) {
        return ((FsException) thrown).error();
    }

    @Test
    void snapshot_ofADirectory_isReadAsItWasAndCannotBeChanged() throws Exception {
        FileHandle file = file("f");
        try (OpenFile open = fs.open(ROOT, file, OpenAccess.WRITE)) {
            write(open, "before", Stability.FILE_SYNC);
        }
        CephBackend.makeSnapshot(backend.options(), "s1");
        FileNode all = fs.lookup(ROOT, fs.root(), name(".snap"));
        List<String> names = new ArrayList<>();
        fs.list(ROOT, all.handle(), 0, true, entry -> names.add(entry.name().toString()));
        assertThat(names).contains("s1");
        FileNode snapshot = fs.lookup(ROOT, all.handle(), name("s1"));
        // The metadata server's answer came after its notice of the snapshot. Before that, writes still belong to it.
        try (OpenFile open = fs.open(ROOT, file, OpenAccess.WRITE)) {
            write(open, "after!", Stability.FILE_SYNC);
        }
        FileNode frozen = fs.lookup(ROOT, snapshot.handle(), name("f"));
        assertThat(read(fs, frozen.handle())).isEqualTo("before");
        assertThat(read(fs, file)).isEqualTo("after!");
        FileAttributes now = fs.attributes(file);
        assertThat(frozen.attributes().fileId()).isNotEqualTo(now.fileId());
        assertThat(frozen.handle()).isNotEqualTo(file);
        assertThatThrownBy(() -> fs.open(ROOT, frozen.handle(), OpenAccess.WRITE))
                .satisfies(e -> assertThat(error(e)).isEqualTo(FsError.READ_ONLY));
        assertThatThrownBy(() -> fs.makeDirectory(ROOT, all.handle(), name("s2"), ORDINARY))
                .satisfies(e -> assertThat(error(e)).isEqualTo(FsError.READ_ONLY));
        assertThatThrownBy(() -> fs.removeDirectory(ROOT, all.handle(), name("s1")))
                .satisfies(e -> assertThat(error(e)).isEqualTo(FsError.READ_ONLY));
        fs.close();
        fs = backend.start();
        assertThat(read(fs, frozen.handle())).as("after a restart").isEqualTo("before");
        assertThat(fs.attributes(snapshot.handle()).type())
                .isEqualTo(snapshot.attributes().type());
        assertThat(fs.attributes(all.handle()).type())
                .isEqualTo(all.attributes().type());
    }

    @Test
    void snapshots_listedInPieces_areEachListedOnce() throws Exception {
        List<String> all = List.of("a", "b", "c", "d", "e");
        for (String each : all) {
            CephBackend.makeSnapshot(backend.options(), each);
        }
        FileHandle snapshots = fs.lookup(ROOT, fs.root(), name(".snap")).handle();
        for (boolean withNodes : new boolean[] {true, false}) {
            List<String> names = new ArrayList<>();
            AtomicLong cookie = new AtomicLong();
            boolean end = false;
            while (!end) {
                int room = names.size() + 2;
                end = fs.list(ROOT, snapshots, cookie.get(), withNodes, entry -> {
                    if (names.size() == room) {
                        return false;
                    }
                    assertThat(entry.node() != null).isEqualTo(withNodes);
                    names.add(entry.name().toString());
                    cookie.set(entry.cookie());
                    return true;
                });
            }
            assertThat(names).isEqualTo(all);
        }
    }

    /** Each directory has a .snap, whose parent and those of what is in it are never outside the export. */
    @Test
    void parents_inSnapshots_stayWithinTheExport() throws Exception {
        FileHandle root = fs.root();
        FileHandle sub = fs.makeDirectory(ROOT, root, name("sub"), ORDINARY).handle();
        FileHandle below = fs.makeDirectory(ROOT, sub, name("below"), ORDINARY).handle();
        CephBackend.makeSnapshot(backend.options(), "s1");
        FileHandle snapshots = fs.lookup(ROOT, root, name(".snap")).handle();
        FileHandle frozen = fs.lookup(ROOT, snapshots, name("s1")).handle();
        FileHandle frozenSub = fs.lookup(ROOT, frozen, name("sub")).handle();
        FileHandle frozenBelow = fs.lookup(ROOT, frozenSub, name("below")).handle();
        FileHandle snapshotsOfSub = fs.lookup(ROOT, sub, name(".snap")).handle();
        for (int round = 0; round < 2; round++) {
            assertThat(parent(root)).isEqualTo(root);
            assertThat(parent(sub)).isEqualTo(root);
            assertThat(parent(below)).isEqualTo(sub);
            assertThat(parent(snapshots)).as("of .snap").isEqualTo(root);
            assertThat(parent(snapshotsOfSub)).as("of sub/.snap").isEqualTo(sub);
            assertThat(parent(frozen)).as("of .snap/s1").isEqualTo(snapshots);
            assertThat(parent(frozenSub)).as("of .snap/s1/sub").isEqualTo(frozen);
            assertThat(parent(frozenBelow)).as("of .snap/s1/sub/below").isEqualTo(frozenSub);
            fs.close();
            fs = backend.start();
        }
    }

    private FileHandle parent(FileHandle directory) throws FsException {
        return fs.lookupParent(ROOT, directory).handle();
    }

    @Test
    void parent_ofADirectoryThatWasMovedOutOfTheExport_isStale() throws Exception {
        FileHandle moved =
                fs.makeDirectory(ROOT, fs.root(), name("moved"), ORDINARY).handle();
        FileHandle below =
                fs.makeDirectory(ROOT, moved, name("below"), ORDINARY).handle();
        CephBackend.moveOut(backend.options(), "moved");
        // The library may remember where the directory was.
        fs.close();
        fs = backend.start();

        for (FileHandle outside : List.of(moved, below)) {
            assertThatThrownBy(() -> parent(outside))
                    .satisfies(e -> assertThat(error(e)).isEqualTo(FsError.STALE));
        }
    }

    /** Stable writes at once exchange the descriptor under each other. */
    @Test
    void stableWrites_manyAtOnce_allSucceedAndLeaveNothingUnsynced() throws Exception {
        FileHandle file = file("f");
        try (OpenFile open = fs.open(ROOT, file, OpenAccess.WRITE);
                ExecutorService threads = Executors.newFixedThreadPool(8)) {
            List<Future<?>> writes = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                long offset = i * 7L;
                Stability stability = i % 3 == 0 ? Stability.UNSTABLE : Stability.FILE_SYNC;
                writes.add(threads.submit(() -> {
                    open.write(ByteBuffer.wrap(CephBackend.bytes("1234567")), offset, stability);
                    open.sync();
                    return null;
                }));
            }
            for (Future<?> write : writes) {
                write.get();
            }
        }
        assertThat(fs.attributes(file).sizeBytes()).isEqualTo(1400);
    }

    @Test
    void statistics_ofADirectoryWithAQuota_areThoseOfTheQuota() throws Exception {
        assertThat(fs.statistics().totalBytes()).isEqualTo(CephBackend.QUOTA_BYTES);
    }

    /** Ceph counts what was written a moment later, so that a little more than the quota can be written. */
    @Test
    void write_beyondTheQuota_isRefusedUntilThereIsRoom() throws Exception {
        long quota = 1 << 20;
        int blockBytes = 64 * 1024;
        CephBackend.setQuota(backend.options(), quota);
        FileHandle file = file("f");
        try (OpenFile open = fs.open(ROOT, file, OpenAccess.WRITE)) {
            long offset = 0;
            FsError refusal = null;
            while (refusal == null && offset < 64 * quota) {
                try {
                    open.write(ByteBuffer.allocate(blockBytes), offset, Stability.FILE_SYNC);
                    offset += blockBytes;
                } catch (FsException e) {
                    refusal = e.error();
                }
            }
            assertThat(refusal).isEqualTo(FsError.QUOTA);
            assertThat(offset).isGreaterThanOrEqualTo(quota - blockBytes);
            CephBackend.setQuota(backend.options(), 1L << 36);
            while (refusal != null) {
                try {
                    open.write(ByteBuffer.allocate(blockBytes), offset, Stability.FILE_SYNC);
                    refusal = null;
                } catch (FsException e) {
                    assertThat(e.error()).isEqualTo(FsError.QUOTA);
                    Thread.sleep(50);
                }
            }
        }
    }

    @Test
    void write_throughAnotherGateway_isSeenByTheSameHandle() throws Exception {
        try (FileSystem other = backend.start()) {
            FileHandle file = file("f");
            try (OpenFile open = fs.open(ROOT, file, OpenAccess.WRITE)) {
                write(open, "one", Stability.UNSTABLE);
                assertThat(read(other, file)).isEqualTo("one");
                long before = fs.attributes(file).changeId();
                try (OpenFile second = other.open(ROOT, file, OpenAccess.WRITE)) {
                    write(second, "two", Stability.UNSTABLE);
                }
                assertThat(fs.attributes(file).changeId()).isGreaterThan(before);
                assertThat(read(fs, file)).isEqualTo("two");
            }
            assertThat(other.identity(file)).isEqualTo(fs.identity(file));
        }
    }

    @Test
    void lock_ofAnotherGateway_isSeenUntilItIsReleased() throws Exception {
        FileHandle file = file("f");
        try (FileSystem other = backend.start();
                OwnerLocks mine = fs.openLocks(file, OpenAccess.READ_WRITE)) {
            OwnerLocks theirs = other.openLocks(file, OpenAccess.READ_WRITE);
            assertThat(theirs.tryLock(true, 10, 19)).isEmpty();
            assertThat(mine.tryLock(false, 0, 10)).contains(new OwnerLocks.Holder(true, 10, 19, 0));
            assertThat(mine.tryLock(true, 20, OwnerLocks.TO_EOF)).isEmpty();
            assertThat(theirs.test(true, 15, 30)).contains(new OwnerLocks.Holder(true, 20, OwnerLocks.TO_EOF, 0));
            theirs.close();
            assertThat(mine.tryLock(true, 0, OwnerLocks.TO_EOF)).isEmpty();
        }
    }

    @Test
    void lock_whenItsGatewayIsGone_isReleased() throws Exception {
        FileHandle file = file("f");
        FileSystem other = backend.start();
        assertThat(other.openLocks(file, OpenAccess.READ_WRITE).tryLock(true, 0, 9))
                .isEmpty();
        other.close();
        try (OwnerLocks mine = fs.openLocks(file, OpenAccess.READ_WRITE)) {
            while (mine.tryLock(true, 0, 9).isPresent()) {
                Thread.sleep(20);
            }
        }
    }

    @Test
    void readLease_whenAnotherGatewayWrites_isBrokenBeforeTheData() throws Exception {
        FileHandle file = file("f");
        CountDownLatch broken = new CountDownLatch(1);
        Lease lease = lease(file, Lease.Kind.READ, broken::countDown);
        try (FileSystem other = backend.start();
                ExecutorService threads = Executors.newSingleThreadExecutor()) {
            Future<?> write = threads.submit(() -> {
                try (OpenFile open = other.open(ROOT, file, OpenAccess.WRITE)) {
                    write(open, "news", Stability.FILE_SYNC);
                }
                return null;
            });
            broken.await();
            assertThat(write.isDone()).isFalse();
            lease.close();
            write.get();
            assertThat(read(fs, file)).isEqualTo("news");
        }
    }

    /** What a lease needs comes with the opening, but a moment after another's use has ended it may still be away. */
    private Lease lease(FileHandle file, Lease.Kind kind, Runnable breaking) throws Exception {
        while (true) {
            Optional<Lease> lease = fs.lease(file, kind, breaking);
            if (lease.isPresent()) {
                return lease.get();
            }
            Thread.sleep(20);
        }
    }

    @Test
    void writeLease_whenAnotherGatewayReads_isBroken() throws Exception {
        FileHandle file = file("f");
        CountDownLatch broken = new CountDownLatch(1);
        Lease lease = lease(file, Lease.Kind.WRITE, broken::countDown);
        try (FileSystem other = backend.start();
                ExecutorService threads = Executors.newSingleThreadExecutor()) {
            Future<String> read = threads.submit(() -> read(other, file));
            broken.await();
            lease.close();
            assertThat(read.get()).isEmpty();
        }
    }

    @Test
    void lease_onAFileThatAnotherGatewayWrites_isNotGiven() throws Exception {
        FileHandle file = file("f");
        try (FileSystem other = backend.start();
                OpenFile open = other.open(ROOT, file, OpenAccess.WRITE)) {
            write(open, "news", Stability.UNSTABLE);
            assertThat(fs.lease(file, Lease.Kind.READ, () -> {})).isEmpty();
        }
    }

    @Test
    void blocklisted_withLocksAndALease_locksAgainAndBreaksTheLease() throws Exception {
        FileHandle file = file("f");
        FileHandle leased = file("leased");
        CountDownLatch broken = new CountDownLatch(1);
        Lease lease = lease(leased, Lease.Kind.READ, broken::countDown);
        try (OwnerLocks mine = fs.openLocks(file, OpenAccess.READ_WRITE);
                OwnerLocks another = fs.openLocks(file, OpenAccess.READ_WRITE)) {
            assertThat(mine.tryLock(true, 0, 99)).isEmpty();
            mine.unlock(40, 59);
            CephBackend.blocklistAll(CephCluster.shared());
            // Nobody calls, and it is noticed all the same.
            broken.await();
            lease.close();
            assertThat(tested(another, 30, 45)).contains(new OwnerLocks.Holder(true, 0, 39, 0));
            assertThat(tested(another, 40, 59)).isEmpty();
            try (FileSystem other = backend.start();
                    OwnerLocks theirs = other.openLocks(file, OpenAccess.READ_WRITE)) {
                assertThat(theirs.tryLock(true, 60, 60)).contains(new OwnerLocks.Holder(true, 60, 99, 0));
            }
        }
    }

    private static Optional<OwnerLocks.Holder> tested(OwnerLocks owner, long first, long last) throws Exception {
        while (true) {
            try {
                return owner.test(true, first, last);
            } catch (FsException e) {
                assertThat(e.error()).isEqualTo(FsError.TRY_LATER);
                Thread.sleep(50);
            }
        }
    }

    @Test
    void blocklisted_withUnsyncedData_mountsAgainWithANewVerifierAndOpensItsFilesAgain() throws Exception {
        FileHandle file = file("f");
        long verifier = fs.writeVerifier();
        try (OpenFile open = fs.open(ROOT, file, OpenAccess.READ_WRITE)) {
            write(open, "kept", Stability.FILE_SYNC);
            write(open, "lost", Stability.UNSTABLE);
            CephBackend.blocklistAll(CephCluster.shared());
            boolean synced = false;
            while (!synced) {
                try {
                    open.sync();
                    synced = true;
                } catch (FsException e) {
                    assertThat(e.error()).isIn(FsError.TRY_LATER, FsError.IO);
                    Thread.sleep(50);
                }
            }
            assertThat(fs.writeVerifier()).isNotEqualTo(verifier);
            write(open, "more", Stability.FILE_SYNC);
            assertThat(read(fs, file)).isEqualTo("more");
        }
    }

    @Test
    void user_whoseKeyReachesOneDirectory_servesItAndIsRefusedElsewhere() throws Exception {
        try (CephCluster cluster = CephCluster.startWithKeys()) {
            Mount top = CephBackend.mountTop(cluster);
            String mine = CephBackend.newDirectory(top, 1L << 34);
            String another = CephBackend.newDirectory(top, 1L << 34);
            cluster.addUser("gateway", mine);
            try (CephFileSystem files = CephFileSystem.open(options(cluster, "gateway", mine))) {
                FileHandle file = files.create(ROOT, files.root(), name("f"), new CreateMode.Guarded(ORDINARY))
                        .node()
                        .handle();
                try (OpenFile open = files.open(ROOT, file, OpenAccess.WRITE)) {
                    write(open, "mine", Stability.FILE_SYNC);
                }
                assertThat(read(files, file)).isEqualTo("mine");
                assertThat(files.statistics().totalBytes()).isEqualTo(1L << 34);
            }
            assertThatThrownBy(() -> CephFileSystem.open(options(cluster, "gateway", another)))
                    .isInstanceOf(BackendException.class)
                    .hasMessageContaining("its capabilities do not reach " + another);
            assertThatThrownBy(() -> CephFileSystem.open(options(cluster, "nobody", mine)))
                    .isInstanceOf(BackendException.class)
                    .hasMessageContaining("client.nobody");
            top.unmount();
            top.release();
        }
    }

    private static CephOptions options(CephCluster cluster, String user, String directory) {
        return new CephOptions(cluster.configuration(), user, CephCluster.FILE_SYSTEM, directory, null);
    }
}
