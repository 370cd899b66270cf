package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.Uninterruptibles;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.LockCalls;
import org.warpnfs.fs.local.libc.OpenCalls;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.Lease;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Stability;

/** Leases that a process of the host breaks. The signal of a break must not end this process. */
@Timeout(60)
class HostLeasesTest extends LocalTreeFixture {
    @Test
    void process_thatOpensToWrite_waitsUntilTheLeaseIsReleased() throws Exception {
        FileHandle file = create(fs.root(), "f");
        CountDownLatch broken = new CountDownLatch(1);
        try (HostProcess process = HostProcess.of(tree.resolve("f"))) {
            Lease lease = fs.lease(file, Lease.Kind.READ, broken::countDown).orElseThrow();
            process.opens(false);
            assertThat(broken.getCount()).as("a reader breaks nothing").isOne();
            process.begin("write");
            broken.await();
            lease.close();
            assertThat(process.answer()).isEqualTo("opened");
        }
    }

    @Test
    void writeLease_whileTheServerAloneHasItOpen_isBrokenByAReader() throws Exception {
        FileHandle file = create(fs.root(), "f");
        CountDownLatch broken = new CountDownLatch(1);
        try (HostProcess process = HostProcess.of(tree.resolve("f"));
                OpenFile open = fs.open(Caller.ROOT, file, OpenAccess.READ_WRITE)) {
            Lease lease = fs.lease(file, Lease.Kind.WRITE, broken::countDown).orElseThrow();
            open.write(ByteBuffer.wrap(new byte[] {1}), 0, Stability.FILE_SYNC);
            try (OpenFile again = fs.open(Caller.ROOT, file, OpenAccess.READ)) {
                assertThat(again.read(ByteBuffer.allocate(1), 0)).isOne();
            }
            assertThat(lease.kind()).isEqualTo(Lease.Kind.WRITE);
            assertThat(broken.getCount()).isOne();
            process.begin("read");
            broken.await();
            lease.close();
            assertThat(process.answer()).isEqualTo("opened");
        }
    }

    @Test
    void readLease_ofAFileThatIsOpenToWrite_isNotTaken() throws Exception {
        FileHandle file = create(fs.root(), "f");
        try (OpenFile _ = fs.open(Caller.ROOT, file, OpenAccess.WRITE)) {
            assertThat(fs.lease(file, Lease.Kind.READ, () -> {})).isEmpty();
        }
        assertThat(fs.lease(file, Lease.Kind.READ, () -> {}).orElseThrow().kind())
                .as("the descriptor that is kept is closed")
                .isEqualTo(Lease.Kind.READ);
    }

    /** The kernel breaks a lease of this process for an open of its own too, which must not wait. */
    @Test
    void server_thatOpensItsLeasedFileToWrite_isToldToTryLater() throws Exception {
        FileHandle file = create(fs.root(), "f");
        CountDownLatch broken = new CountDownLatch(1);
        Lease lease = fs.lease(file, Lease.Kind.READ, broken::countDown).orElseThrow();
        assertFails(FsError.TRY_LATER, () -> fs.open(Caller.ROOT, file, OpenAccess.WRITE));
        broken.await();
        lease.close();
        fs.open(Caller.ROOT, file, OpenAccess.WRITE).close();
    }

    /** Whoever holds the delegation behind the lease sets them. */
    @Test
    void writeLease_whenTheServerSetsAttributes_isNotBroken() throws Exception {
        FileHandle file = create(fs.root(), "f");
        CountDownLatch broken = new CountDownLatch(1);
        try (HostProcess process = HostProcess.of(tree.resolve("f"));
                OpenFile _ = fs.open(Caller.ROOT, file, OpenAccess.READ_WRITE)) {
            Lease lease = fs.lease(file, Lease.Kind.WRITE, broken::countDown).orElseThrow();
            for (long size : new long[] {5000, 100, 0}) {
                assertThat(fs.setAttributes(Caller.ROOT, file, AttributeChanges.ofSize(size))
                                .sizeBytes())
                        .isEqualTo(size);
            }
            fs.setAttributes(Caller.ROOT, file, AttributeChanges.ofPermissions(0600));
            CreateMode truncating = new CreateMode.Unchecked(AttributeChanges.ofSize(0));
            assertThat(fs.create(Caller.ROOT, fs.root(), FileName.of("f"), truncating)
                            .isNew())
                    .isFalse();
            assertThat(broken.getCount()).isOne();
            process.begin("read");
            broken.await();
            lease.close();
            assertThat(process.answer()).isEqualTo("opened");
        }
    }

    @Test
    void holder_thatFailsWithAnErrorOfTheMachine_keepsNoOtherFromBeingTold() throws Exception {
        FileHandle bad = create(fs.root(), "bad");
        FileHandle good = create(fs.root(), "good");
        CountDownLatch failed = new CountDownLatch(1);
        CountDownLatch broken = new CountDownLatch(1);
        Lease first = fs.lease(bad, Lease.Kind.READ, () -> {
                    failed.countDown();
                    throw new NoClassDefFoundError("on purpose");
                })
                .orElseThrow();
        Lease second = fs.lease(good, Lease.Kind.READ, broken::countDown).orElseThrow();
        assertFails(FsError.TRY_LATER, () -> fs.open(Caller.ROOT, bad, OpenAccess.WRITE));
        failed.await();
        assertFails(FsError.TRY_LATER, () -> fs.open(Caller.ROOT, good, OpenAccess.WRITE));
        broken.await();
        first.close();
        second.close();
    }

    /** The descriptor of a lease to write is closed with the tree. Its number is soon another file's. */
    @Test
    void close_whileTheKernelIsAsked_waitsForTheAnswer() throws Exception {
        Path file = Files.createFile(tree.resolve("f"));
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch mayAnswer = new CountDownLatch(1);
        AtomicBoolean answered = new AtomicBoolean();
        DescriptorBudget budget = DescriptorBudget.of(256);
        try (Fd rootFd = HandleLogTest.openDirectory(tree);
                Fd found = OpenCalls.openAt(rootFd, FileName.of("f").toBytes(), OpenCalls.O_PATH);
                Durability durability = new Durability(
                        new Startup.KernelSyncCalls(),
                        rootFd,
                        new Durability.Kind(false, false),
                        SyncWaits.UNCOUNTED)) {
            FdCache files = new FdCache(8, durability, budget, System::nanoTime);
            Superblock superblock = Superblock.of(AttributeReader.statx(rootFd));
            TableHandles handles = new TableHandles(7, superblock, rootFd, files, null);
            FileHandle handle = handles.of(found, AttributeReader.statx(found), handles.root(), FileName.of("f"));
            HostLeases leases = new HostLeases(handles, files, budget, (fd, exclusive) -> {
                asked.countDown();
                Uninterruptibles.awaitUninterruptibly(mayAnswer);
                boolean breaks = LockCalls.isBreaking(fd, exclusive);
                answered.set(!breaks);
                return breaks;
            });
            Lease lease = leases.take(handle, Lease.Kind.WRITE, () -> {}).orElseThrow();
            asked.await();
            Thread closing = Thread.ofPlatform().start(() -> {
                leases.close();
                files.close();
            });
            while (closing.getState() != Thread.State.WAITING && closing.getState() != Thread.State.TERMINATED) {
                Thread.onSpinWait();
            }

            assertThat(closing.getState()).as("it waits for " + file).isEqualTo(Thread.State.WAITING);

            mayAnswer.countDown();
            closing.join();
            assertThat(answered).isTrue();
            lease.close();
        } finally {
            mayAnswer.countDown();
        }
        assertThat(budget.usedByFiles()).isZero();
    }

    @Test
    void breakTime_isALittleLessThanTheKernels() throws Exception {
        Path setting = tree.resolve("lease-break-time");
        for (String text : List.of("0\n", "no number", "45\n", "5\n")) {
            Files.writeString(setting, text);
            assertThat(HostLeases.breakTime(setting))
                    .as(text)
                    .isBetween(
                            Duration.ofSeconds(text.startsWith("5") ? 4 : 44),
                            Duration.ofSeconds(text.startsWith("5") ? 5 : 45));
        }
        assertThat(HostLeases.breakTime(tree.resolve("none"))).isEqualTo(Duration.ofSeconds(45));
    }

    @Test
    void leases_manyAndClosed_giveTheirDescriptorsBack() throws Exception {
        DescriptorBudget budget = DescriptorBudget.of(256);
        restart(new LocalOptions(
                null, 0, false, LocalOptions.Identity.BEST, true, budget, SyncWaits.UNCOUNTED, () -> 1));
        AtomicInteger told = new AtomicInteger();
        for (int i = 0; i < 20; i++) {
            FileHandle file = create(fs.root(), "f" + i);
            Lease lease = fs.lease(file, Lease.Kind.READ, told::incrementAndGet).orElseThrow();
            if (i % 2 == 0) {
                lease.close();
                lease.close();
            }
        }
        assertThat(budget.usedByFiles()).isEqualTo(10);
        fs.close();
        assertThat(budget.usedByFiles()).isZero();
        assertThat(told).hasValue(0);
    }
}
