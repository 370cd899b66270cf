package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OwnerLocks;

/** Byte-range locks that a process of the host and this one take on the same file. */
@Timeout(60)
class HostLocksTest extends LocalTreeFixture {
    private static final long END = OwnerLocks.TO_EOF;

    @Test
    void locksOfAProcess_andOfAnOwner_conflictBothWays() throws Exception {
        FileHandle file = create(fs.root(), "f");
        try (HostProcess process = HostProcess.of(tree.resolve("f"));
                OwnerLocks owner = fs.openLocks(file, OpenAccess.READ_WRITE)) {
            assertThat(process.locks(true, 10, 10)).isTrue();
            OwnerLocks.Holder holder = new OwnerLocks.Holder(true, 10, 19, process.number());
            assertThat(owner.tryLock(false, 0, END)).contains(holder);
            assertThat(owner.test(true, 19, 19)).contains(holder);
            assertThat(owner.tryLock(true, 20, END)).isEmpty();

            assertThat(process.locks(false, 25, 1)).isFalse();
            process.unlocks();
            assertThat(owner.tryLock(true, 0, END)).isEmpty();
            assertThat(process.locks(false, 0, 1)).isFalse();
            owner.unlock(0, 0);
            assertThat(process.locks(true, 0, 1)).isTrue();
        }
    }

    @Test
    void process_thatEnds_leavesNoLock() throws Exception {
        FileHandle file = create(fs.root(), "f");
        try (OwnerLocks owner = fs.openLocks(file, OpenAccess.READ_WRITE)) {
            try (HostProcess process = HostProcess.of(tree.resolve("f"))) {
                assertThat(process.locks(true, 0, Long.MAX_VALUE)).isTrue();
                assertThat(owner.tryLock(true, 0, 0)).isPresent();
            }
            while (owner.tryLock(true, 0, 0).isPresent()) {
                Thread.sleep(10);
            }
        }
    }

    @Test
    void locks_whereDescriptorsAreShort_areRefusedAndGivenBack() throws Exception {
        DescriptorBudget budget = DescriptorBudget.of(64);
        restart(new LocalOptions(
                null, 8, false, LocalOptions.Identity.BEST, true, budget, SyncWaits.UNCOUNTED, () -> 1));
        FileHandle file = create(fs.root(), "f");
        int before = budget.usedByFiles();
        List<OwnerLocks> owners = new ArrayList<>();
        assertFails(FsError.TRY_LATER, () -> {
            while (true) {
                owners.add(fs.openLocks(file, OpenAccess.READ));
            }
        });
        assertThat(owners).hasSizeGreaterThan(8);
        owners.forEach(OwnerLocks::close);
        owners.forEach(OwnerLocks::close);
        assertThat(budget.usedByFiles()).isLessThanOrEqualTo(before);
        OwnerLocks last = fs.openLocks(file, OpenAccess.READ);
        fs.close();
        assertThat(budget.usedByFiles()).isZero();
        assertFails(FsError.STALE, () -> last.tryLock(false, 0, 0));
        last.close();
        assertThat(budget.usedByFiles()).isZero();
    }

    /** A descriptor that is open to write would keep the file from being executed. */
    @Test
    void sharedLocks_onAProgram_letItRun() throws Exception {
        Path program = tree.resolve("program");
        Files.copy(Path.of("/bin/true"), program);
        FileHandle file = lookup(fs.root(), "program");
        try (OwnerLocks owner = fs.openLocks(file, OpenAccess.READ)) {
            assertThat(owner.tryLock(false, 0, END)).isEmpty();
            assertThat(new ProcessBuilder(program.toString()).start().waitFor()).isZero();
        }
    }
}
