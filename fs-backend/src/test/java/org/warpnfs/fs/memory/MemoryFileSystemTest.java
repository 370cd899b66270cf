package org.warpnfs.fs.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.InstantSource;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.AclChanges;
import org.warpnfs.fs.spi.AclChanges.Change;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.ChangeOrder;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.PosixAcl;
import org.warpnfs.fs.spi.Stability;
import org.warpnfs.fs.spi.XattrMode;

/** Properties that only the memory backend has: capacity, and handles of one instance. */
class MemoryFileSystemTest {
    private static final long CAPACITY_BYTES = 4 << 20;
    private static final byte[] DATA = {1, 2, 3, 4, 5};

    private final MemoryFileSystem fs = new MemoryFileSystem(CAPACITY_BYTES, 10);

    private static void assertFails(FsError expected, ThrowingCallable call) {
        assertThatThrownBy(call)
                .asInstanceOf(type(FsException.class))
                .extracting(FsException::error)
                .isEqualTo(expected);
    }

    private FileHandle file(String name) throws FsException {
        return file(fs, name);
    }

    private static FileHandle file(MemoryFileSystem files, String name) throws FsException {
        return files.create(Caller.ROOT, files.root(), FileName.of(name), new CreateMode.Guarded(AttributeChanges.NONE))
                .node()
                .handle();
    }

    private void write(FileHandle file, long offset, int length) throws FsException {
        try (OpenFile open = fs.open(Caller.ROOT, file, OpenAccess.WRITE)) {
            open.write(ByteBuffer.allocate(length), offset, Stability.UNSTABLE);
        }
    }

    @Test
    void changeId_clockGoesBack_growsAllTheSame() throws FsException {
        AtomicReference<Instant> clock = new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));
        try (MemoryFileSystem clocked = new MemoryFileSystem(1 << 20, 100, clock::get)) {
            assertThat(clocked.limits().changeOrder()).isEqualTo(ChangeOrder.GROWS);
            long before = clocked.attributes(clocked.root()).changeId();
            clock.set(Instant.parse("2025-01-01T00:00:00Z"));
            long after = clocked.setAttributes(Caller.ROOT, clocked.root(), AttributeChanges.ofPermissions(0700))
                    .changeId();
            assertThat(after).isGreaterThan(before);
        }
    }

    @Test
    void write_beyondTheCapacity_noSpaceAndNothingWritten() throws Exception {
        FileHandle file = file("f");

        write(file, 0, 1 << 20);

        assertFails(FsError.NO_SPACE, () -> write(file, 1 << 20, 4 << 20));
        assertThat(fs.attributes(file).sizeBytes()).isEqualTo(1 << 20);

        write(file, 0, 1 << 20);
    }

    @Test
    void remove_fullFileSystem_givesAllSpaceBack() throws Exception {
        long free = fs.statistics().freeBytes();
        long freeFiles = fs.statistics().freeFiles();
        for (int round = 0; round < 20; round++) {
            FileHandle file = file("f");
            write(file, 5_000, 3 << 20);
            fs.setXattr(Caller.ROOT, file, new byte[] {'a'}, new byte[1000], XattrMode.EITHER);
            fs.remove(Caller.ROOT, fs.root(), FileName.of("f"));
            fs.makeSymlink(Caller.ROOT, fs.root(), FileName.of("s"), new byte[] {'x'}, AttributeChanges.NONE);
            fs.remove(Caller.ROOT, fs.root(), FileName.of("s"));
        }

        assertThat(fs.statistics().freeBytes()).isEqualTo(free);
        assertThat(fs.statistics().freeFiles()).isEqualTo(freeFiles);
    }

    @Test
    void allocate_hugeClaim_noSpaceWithoutTakingAny() throws Exception {
        FileHandle file = file("f");
        long free = fs.statistics().freeBytes();
        try (OpenFile open = fs.open(Caller.ROOT, file, OpenAccess.WRITE)) {
            assertFails(FsError.NO_SPACE, () -> open.allocate(0, Long.MAX_VALUE));
            assertFails(FsError.NO_SPACE, () -> open.allocate(1L << 50, 1L << 40));
        }

        assertThat(fs.statistics().freeBytes()).isEqualTo(free);
    }

    @Test
    void create_beyondTheFileCapacity_noSpace() throws Exception {
        for (int i = 0; i < 9; i++) {
            file("f" + i);
        }
        long free = fs.statistics().freeBytes();

        assertFails(FsError.NO_SPACE, () -> file("one too many"));
        assertThat(fs.statistics().freeBytes()).isEqualTo(free);

        fs.remove(Caller.ROOT, fs.root(), FileName.of("f3"));
        file("fits");
    }

    @Test
    void link_names_areCharged() throws Exception {
        FileHandle file = file("f");

        assertFails(FsError.NO_SPACE, () -> {
            for (int i = 0; i < 20_000; i++) {
                fs.link(Caller.ROOT, file, fs.root(), FileName.of("l" + i));
            }
        });
        assertThat(fs.attributes(file).linkCount()).isBetween(5_000, 20_000);
    }

    @Test
    void link_beyondTheLimit_tooManyLinks() throws Exception {
        MemoryFileSystem large = new MemoryFileSystem(64 << 20, 10);
        FileHandle file = large.create(
                        Caller.ROOT, large.root(), FileName.of("f"), new CreateMode.Guarded(AttributeChanges.NONE))
                .node()
                .handle();
        for (int i = 1; i < large.limits().maxLinks(); i++) {
            large.link(Caller.ROOT, file, large.root(), FileName.of("l" + i));
        }

        assertFails(
                FsError.TOO_MANY_LINKS, () -> large.link(Caller.ROOT, file, large.root(), FileName.of("one too many")));
    }

    @Test
    void list_cookieNeverGivenOut_badCookie() throws Exception {
        file("f");
        for (long cookie : new long[] {1, 2, 1000, -1}) {
            assertFails(FsError.BAD_COOKIE, () -> fs.list(Caller.ROOT, fs.root(), cookie, false, entry -> true));
        }
    }

    @Test
    void handle_ofAnotherInstance_stale() throws Exception {
        MemoryFileSystem other = new MemoryFileSystem(CAPACITY_BYTES, 10);

        assertFails(FsError.STALE, () -> other.attributes(fs.root()));
        assertThat(other.writeVerifier()).isNotEqualTo(fs.writeVerifier());

        fs.close();
        assertFails(FsError.STALE, () -> fs.attributes(fs.root()));
    }

    @Test
    void acls_ofFilesThatCameAndWent_giveAllSpaceBack() throws Exception {
        long free = fs.heapFreeBytes();
        FileHandle directory = fs.makeDirectory(
                        Caller.ROOT, fs.root(), FileName.of("d"), AttributeChanges.ofPermissions(0777))
                .handle();
        long withDirectory = fs.heapFreeBytes();
        TreeMap<Long, Integer> users = new TreeMap<>();
        for (long uid = 0; uid < 1000; uid++) {
            users.put(uid, 7);
        }
        PosixAcl acl = new PosixAcl(7, users, 7, new TreeMap<>(), 7, 7);

        fs.setAcls(Caller.ROOT, directory, AclChanges.ofInherited(acl));
        assertThat(fs.heapFreeBytes()).isLessThan(withDirectory - 8 * 1000);

        FileName name = FileName.of("f");
        CreateMode mode = new CreateMode.Guarded(AttributeChanges.ofPermissions(0666));
        long withList = fs.heapFreeBytes();
        fs.create(Caller.ROOT, directory, name, mode);

        assertThat(fs.heapFreeBytes()).isLessThan(withList - 8 * 1000);

        fs.remove(Caller.ROOT, directory, name);
        assertThat(fs.heapFreeBytes()).isEqualTo(withList);

        fs.setAcls(Caller.ROOT, directory, new AclChanges(Change.REMOVE, Change.REMOVE));
        assertThat(fs.heapFreeBytes()).isEqualTo(withDirectory);

        fs.removeDirectory(Caller.ROOT, fs.root(), FileName.of("d"));
        assertThat(fs.heapFreeBytes()).isEqualTo(free);
    }

    @Test
    void create_whereTheInheritedListHasNoSpace_makesNothing() throws Exception {
        MemoryFileSystem small = new MemoryFileSystem(20_000, 10);
        TreeMap<Long, Integer> users = new TreeMap<>();
        for (long uid = 0; uid < 200; uid++) {
            users.put(uid, 7);
        }
        PosixAcl acl = new PosixAcl(7, users, 7, new TreeMap<>(), 7, 7);
        small.setAcls(Caller.ROOT, small.root(), AclChanges.ofInherited(acl));
        long free = small.heapFreeBytes();
        long freeFiles = small.statistics().freeFiles();

        assertFails(
                FsError.NO_SPACE,
                () -> small.makeDirectory(
                        Caller.ROOT, small.root(), FileName.of("d"), AttributeChanges.ofPermissions(0777)));
        assertThat(small.heapFreeBytes()).isEqualTo(free);
        assertThat(small.statistics().freeFiles()).isEqualTo(freeFiles);
    }

    @Test
    void whatLivesOnTheHeap_ofManyFileSystems_isAQuarterOfTheHeapTogether() {
        long quarter = Runtime.getRuntime().maxMemory() / 4;
        for (int number : new int[] {1, 4, 100}) {
            try (MemoryFileSystem one = MemoryFileSystem.oneOf(number, Long.MAX_VALUE / 2, 1000, true)) {
                assertThat(number * one.heapFreeBytes()).as("of %d", number).isBetween(quarter / 2, quarter);
            }
        }
    }

    @Test
    void whatLivesOnTheHeap_beyondItsPart_isNoSpaceThoughContentsHaveRoom() throws Exception {
        try (MemoryFileSystem small =
                new MemoryFileSystem(new MemoryFileSystem.Bounds(64 << 20, 0, 20_000, 1000), InstantSource.system())) {
            long free = small.heapFreeBytes();
            byte[] value = new byte[16_000];
            byte[] name = {'a'};
            small.setXattr(Caller.ROOT, small.root(), name, value, XattrMode.EITHER);

            assertThat(small.heapFreeBytes()).isLessThan(free - value.length);
            assertThat(small.statistics().freeBytes()).isEqualTo(64 << 20);
            assertFails(
                    FsError.NO_SPACE,
                    () -> small.setXattr(Caller.ROOT, small.root(), new byte[] {'b'}, value, XattrMode.EITHER));

            small.removeXattr(Caller.ROOT, small.root(), name);
            assertThat(small.heapFreeBytes()).isEqualTo(free);

            for (int i = 0; i < 100; i++) {
                String each = "d" + i;
                try {
                    small.makeDirectory(
                            Caller.ROOT, small.root(), FileName.of(each), AttributeChanges.ofPermissions(0700));
                } catch (FsException e) {
                    assertThat(e.error()).isEqualTo(FsError.NO_SPACE);
                    break;
                }
                assertThat(i).isLessThan(50);
            }
            for (int i = 0; small.heapFreeBytes() < free; i++) {
                small.removeDirectory(Caller.ROOT, small.root(), FileName.of("d" + i));
            }
            assertThat(small.heapFreeBytes()).isEqualTo(free);
        }
    }

    /** An event loop that waited here would hold up all its connections. */
    @Test
    void callsOfAnEventLoop_whileALongAllocateRuns_doNotWait() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        AtomicBoolean slow = new AtomicBoolean();
        PageAllocator.Host host = bytes -> {
            if (slow.get()) {
                begun.countDown();
                awaitLatch(end);
            }
            return PageAllocator.Host.OWN.take(bytes);
        };
        MemoryFileSystem.Bounds bounds = new MemoryFileSystem.Bounds(CAPACITY_BYTES, 1 << 20, 1 << 20, 10);
        try (MemoryFileSystem slowly = new MemoryFileSystem(bounds, InstantSource.system(), host);
                ExecutorService threads = Executors.newCachedThreadPool()) {
            FileHandle file = file(slowly, "f");
            OpenFile open = slowly.open(Caller.ROOT, file, OpenAccess.READ_WRITE);
            assertThat(open.write(ByteBuffer.wrap(DATA), 0, Stability.UNSTABLE)).isNotNull();
            slow.set(true);
            Future<?> allocate = threads.submit(() -> {
                open.allocate(0, 2 << 20);
                return true;
            });
            try {
                awaitLatch(begun);
                Future<?> calls = threads.submit(() -> {
                    assertThat(slowly.tryAttributes(file)).isNotNull();
                    try (OpenFile again = slowly.tryOpen(Caller.ROOT, file, OpenAccess.READ)) {
                        assertThat(again.sizeBytes()).isEqualTo(DATA.length);
                        assertThat(again.tryRead(ByteBuffer.allocate(10), 0)).isEqualTo(DATA.length);
                        again.lend(0, 1000).orElseThrow().close();
                    }
                    return true;
                });

                assertThat(calls).succeedsWithin(5, TimeUnit.SECONDS);
            } finally {
                end.countDown();
            }
            assertThat(allocate).succeedsWithin(5, TimeUnit.SECONDS);
            assertThat(slowly.attributes(file).sizeBytes()).isEqualTo(2 << 20);
            assertThat(slowly.attributes(file).usedBytes()).isEqualTo(2 << 20);
            open.close();
        }
    }

    /** Somebody else has written there meanwhile, so the file needs fewer pages than were taken. */
    @Test
    void allocate_besideAWrite_givesBackWhatItDoesNotNeed() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        AtomicBoolean first = new AtomicBoolean(true);
        PageAllocator.Host slowOnce = bytes -> {
            if (first.compareAndSet(true, false)) {
                begun.countDown();
                awaitLatch(end);
            }
            return PageAllocator.Host.OWN.take(bytes);
        };
        MemoryFileSystem.Bounds bounds = new MemoryFileSystem.Bounds(CAPACITY_BYTES, 0, 1 << 20, 10);
        try (MemoryFileSystem slowly = new MemoryFileSystem(bounds, InstantSource.system(), slowOnce);
                ExecutorService threads = Executors.newCachedThreadPool()) {
            long free = slowly.statistics().freeBytes();
            FileHandle file = file(slowly, "f");
            OpenFile open = slowly.open(Caller.ROOT, file, OpenAccess.READ_WRITE);
            Future<?> allocate = threads.submit(() -> {
                open.allocate(0, 10 * PageAllocator.PAGE_BYTES);
                return true;
            });
            awaitLatch(begun);
            Future<?> write = threads.submit(() -> {
                open.write(ByteBuffer.wrap(DATA), 0, Stability.UNSTABLE);
                return true;
            });
            end.countDown();
            assertThat(write).succeedsWithin(5, TimeUnit.SECONDS);
            assertThat(allocate).succeedsWithin(5, TimeUnit.SECONDS);

            assertThat(slowly.attributes(file).usedBytes()).isEqualTo(10L * PageAllocator.PAGE_BYTES);
            assertThat(slowly.statistics().freeBytes()).isEqualTo(free - 10L * PageAllocator.PAGE_BYTES);
            ByteBuffer read = ByteBuffer.allocate(DATA.length);
            assertThat(open.read(read, 0)).isEqualTo(DATA.length);
            assertThat(read.array()).isEqualTo(DATA);
            open.close();
        }
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void setSize_shorterAndLongerAgainAtTheLastOffsets_leavesZeroes() throws Exception {
        FileHandle file = file("f");
        setSize(file, Long.MAX_VALUE);
        try (OpenFile open = fs.open(Caller.ROOT, file, OpenAccess.READ_WRITE)) {
            open.write(ByteBuffer.wrap(new byte[] {1, 2, 3, 4}), Long.MAX_VALUE - 100, Stability.UNSTABLE);
            setSize(file, Long.MAX_VALUE - 98);
            setSize(file, Long.MAX_VALUE);

            ByteBuffer sink = ByteBuffer.allocate(4);
            assertThat(open.read(sink, Long.MAX_VALUE - 100)).isEqualTo(4);
            assertThat(sink.array()).containsExactly(1, 2, 0, 0);
        }
    }

    private void setSize(FileHandle file, long sizeBytes) throws FsException {
        fs.setAttributes(Caller.ROOT, file, new AttributeChanges(null, null, null, sizeBytes, null, null));
    }
}
