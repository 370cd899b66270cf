package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.fs.local.libc.AttributeCalls;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.OpenCalls;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileHandle;

/** Directories that stay open between the calls of a listing: how many, how long, and what a change does to them. */
class KeptListingsTest {
    private static final FileHandle ONE = FileHandle.of(new byte[] {1});
    private static final FileHandle OTHER = FileHandle.of(new byte[] {2});
    /** Descriptors of which files have half, and listings a sixteenth of that: eight. */
    private static final int DESCRIPTORS = 256;

    @Nested
    class OnTmpfs extends KeptListingsContract {
        @Override
        Path medium() {
            return Files.isWritable(LocalBackend.TMPFS)
                    ? LocalBackend.TMPFS
                    : Path.of(System.getProperty("java.io.tmpdir"));
        }
    }

    @Nested
    class OnExt4 extends OnDevice {
        @Override
        LoopDevice make(Path base) throws IOException {
            return LoopDevice.ext4(base);
        }
    }

    @Nested
    class OnXfs extends OnDevice {
        @Override
        LoopDevice make(Path base) throws IOException {
            return LoopDevice.xfs(base);
        }
    }

    @Nested
    class OnBtrfs extends OnDevice {
        @Override
        LoopDevice make(Path base) throws IOException {
            return LoopDevice.btrfs(base);
        }
    }

    /** The tests on a device of their own. */
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    abstract static class OnDevice extends KeptListingsContract {
        private @Nullable LoopDevice device;

        abstract LoopDevice make(Path base) throws IOException;

        @BeforeAll
        void makeDevice(@TempDir Path base) throws IOException {
            device = make(base);
        }

        @AfterAll
        void removeDevice() throws IOException {
            if (device != null) {
                device.close();
            }
        }

        @Override
        Path medium() {
            return Objects.requireNonNull(device).directory();
        }
    }

    @TempDir
    Path tree;

    private final AtomicLong nowNanos = new AtomicLong();
    private final DescriptorBudget budget = DescriptorBudget.of(DESCRIPTORS);
    private final KeptListings listings = new KeptListings(budget, nowNanos::get);
    private Durability durability;
    private Fd root;

    @BeforeEach
    void start() throws Exception {
        root = open();
        durability = new Durability(
                new Startup.KernelSyncCalls(), root, new Durability.Kind(false, false), SyncWaits.UNCOUNTED);
    }

    @AfterEach
    void stop() {
        listings.close();
        durability.close();
        root.close();
        assertThat(budget.usedByFiles()).isZero();
    }

    private Fd open() throws Exception {
        return OpenCalls.open(
                tree.toString().getBytes(StandardCharsets.UTF_8), OpenCalls.O_RDONLY | OpenCalls.O_DIRECTORY);
    }

    private ListedDirectory listed() throws Exception {
        Fd directory = open();
        return new ListedDirectory(
                directory, Stillness.of(directory, AttributeCalls.statx(directory), durability, Long.MAX_VALUE / 2));
    }

    private static KeptListings.Key key(FileHandle directory, long cookie) {
        return new KeptListings.Key(directory, Caller.ROOT, cookie);
    }

    private void keep(FileHandle directory, long cookie) throws Exception {
        long removals = listings.removals();
        listings.keep(key(directory, cookie), listed(), removals);
    }

    @Test
    void kept_isTakenOnce() throws Exception {
        keep(ONE, 7);
        assertThat(budget.usedByFiles()).isEqualTo(1);

        ListedDirectory taken = Objects.requireNonNull(listings.take(key(ONE, 7)));
        assertThat(listings.take(key(ONE, 7))).isNull();
        assertThat(budget.usedByFiles()).isZero();
        taken.close();
    }

    @Test
    void kept_underAnotherCookieOrHandleOrCaller_isNotTaken() throws Exception {
        keep(ONE, 7);

        assertThat(listings.take(key(ONE, 8))).isNull();
        assertThat(listings.take(key(OTHER, 7))).isNull();
        assertThat(listings.take(new KeptListings.Key(ONE, new Caller(0, 0, List.of(5L)), 7)))
                .isNull();
        assertThat(listings.size()).isEqualTo(1);
    }

    @Test
    void kept_forTheWholeTime_isClosedByTheNextSweep() throws Exception {
        keep(ONE, 7);
        nowNanos.addAndGet(TimeUnit.SECONDS.toNanos(KeptListings.KEPT_SECONDS) - 1);
        listings.sweep();
        assertThat(budget.usedByFiles()).isEqualTo(1);

        nowNanos.addAndGet(1);
        listings.sweep();
        assertThat(budget.usedByFiles()).isZero();
    }

    @Test
    void kept_forTheWholeTime_isNotTakenEvenWithoutASweep() throws Exception {
        keep(ONE, 7);
        nowNanos.addAndGet(TimeUnit.SECONDS.toNanos(KeptListings.KEPT_SECONDS));

        assertThat(listings.take(key(ONE, 7))).isNull();
        assertThat(budget.usedByFiles()).isZero();
    }

    @Test
    void kept_beyondTheirNumber_theOldestAreClosed() throws Exception {
        int most = budget.forFiles() / 16;
        for (int cookie = 1; cookie <= most + 5; cookie++) {
            keep(ONE, cookie);
        }

        assertThat(listings.size()).isEqualTo(most);
        assertThat(budget.usedByFiles()).isEqualTo(most);
        assertThat(listings.take(key(ONE, 5))).isNull();
        ListedDirectory taken = Objects.requireNonNull(listings.take(key(ONE, 6)));
        taken.close();
    }

    @Test
    void names_thatAreLeft_countToo() throws Exception {
        int most = budget.forFiles() / 16;
        for (int i = 0; i < KeptListings.NAMES_OF_A_LISTING; i++) {
            Files.createFile(tree.resolve("f" + i));
        }
        for (int cookie = 1; cookie <= most; cookie++) {
            ListedDirectory listed = listed();
            listed.leave(listed.next(new Listing.KernelCalls(), 1_000));
            assertThat(listed.namesLeft()).isEqualTo(KeptListings.NAMES_OF_A_LISTING);
            listings.keep(key(ONE, cookie), listed, listings.removals());
        }

        assertThat(listings.size()).isEqualTo(most / 2);
    }

    @Test
    void descriptorsOfFiles_areUsedUp_nothingIsKept() throws Exception {
        while (budget.tryTake()) {
            // until none is left
        }
        keep(ONE, 7);
        assertThat(listings.size()).isZero();
        for (int i = 0; i < budget.forFiles(); i++) {
            budget.give();
        }
    }

    @Test
    void descriptorOfAFile_isWanted_keptOnesMakeRoom() throws Exception {
        keep(ONE, 7);
        while (budget.tryTake()) {
            // until none is left
        }
        budget.take();

        assertThat(listings.size()).isZero();
        for (int i = 0; i < budget.forFiles(); i++) {
            budget.give();
        }
    }

    @Test
    void directory_isForgotten_othersStay() throws Exception {
        keep(ONE, 7);
        keep(ONE, 8);
        keep(OTHER, 7);
        listings.forget(ONE);

        assertThat(listings.size()).isEqualTo(1);
        ListedDirectory taken = Objects.requireNonNull(listings.take(key(OTHER, 7)));
        taken.close();
    }

    @Test
    void directory_isForgottenWhileItIsListed_isNotKept() throws Exception {
        long removals = listings.removals();
        ListedDirectory listed = listed();
        listings.forget(ONE);
        listings.keep(key(ONE, 7), listed, removals);

        assertThat(listings.size()).isZero();
    }
}
