package org.warpnfs.nfs.nlm;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.fs.local.LocalFileSystem;
import org.warpnfs.fs.local.LocalOptions;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OwnerLocks;
import org.warpnfs.nfs.export.ExportOptions;

/** Locks of NFSv3 clients on a file of the host that somebody else locks too. */
@Timeout(60)
class HostLocksOfNlmTest {
    private static final int CLIENT = NlmBench.CLIENT;

    @TempDir
    private Path base;

    private LocalFileSystem elsewhere;
    private NlmBench bench;
    private OwnerLocks other;

    @BeforeEach
    void start() throws Exception {
        Path tree = Files.createDirectory(base.resolve("tree"));
        LocalFileSystem files = LocalFileSystem.open(tree, LocalOptions.DEFAULTS);
        bench = new NlmBench(files, Files.createDirectory(base.resolve("state")), ExportOptions.DEFAULTS);
        elsewhere = LocalFileSystem.open(tree, LocalOptions.DEFAULTS);
        other = elsewhere.openLocks(
                elsewhere
                        .lookup(Caller.ROOT, elsewhere.root(), FileName.of("file"))
                        .handle(),
                OpenAccess.READ_WRITE);
    }

    @AfterEach
    void stop() {
        elsewhere.close();
        bench.fs.close();
    }

    private boolean isFree() throws Exception {
        boolean free = other.tryLock(true, 0, OwnerLocks.TO_EOF).isEmpty();
        other.unlock(0, OwnerLocks.TO_EOF);
        return free;
    }

    @Test
    void lock_ofAClient_isSeenByTheHostUntilItIsReleasedInAnyWay() throws Exception {
        List<Runnable> ways = List.of(
                () -> bench.unlock(CLIENT, "a", 0, 0),
                () -> bench.notifyRestart(CLIENT, "client.lab", 3),
                () -> bench.server.withdraw(bench.fs));
        for (Runnable way : ways) {
            assertThat(bench.lock(CLIENT, "a", false, true, 5, 10)).isEqualTo(NlmStatus.GRANTED);
            assertThat(other.tryLock(false, 14, 14)).isPresent();
            assertThat(other.tryLock(true, 15, 15)).isEmpty();
            way.run();
            assertThat(isFree()).isTrue();
        }
        assertThat(bench.server.lockCount()).isZero();
    }

    @Test
    void lockOfTheHost_isToldByTest_andDeniesLock() throws Exception {
        assertThat(other.tryLock(true, 0, 9)).isEmpty();
        assertThat(bench.test(CLIENT, "a", 0, 0)).isEqualTo(NlmStatus.DENIED);
        assertThat(bench.test(CLIENT, "a", 10, 0)).isEqualTo(NlmStatus.GRANTED);
        assertThat(bench.lock(CLIENT, "a", false, true, 9, 1)).isEqualTo(NlmStatus.DENIED);
        assertThat(bench.server.lockCount()).isZero();
    }

    @Test
    void blocked_untilTheHostUnlocks_isGranted() throws Exception {
        assertThat(other.tryLock(true, 0, 9)).isEmpty();
        assertThat(bench.lock(CLIENT, "a", true, true, 0, 10)).isEqualTo(NlmStatus.BLOCKED);
        other.close();
        while (bench.calls.isEmpty()) {
            List.copyOf(bench.notices).forEach(notice -> {
                bench.notices.remove(notice);
                notice.run();
            });
            List.copyOf(bench.work).forEach(work -> {
                bench.work.remove(work);
                work.run();
            });
            Thread.sleep(5);
        }
        assertThat(bench.calls.getFirst().procedure()).isEqualTo(NlmProgram.GRANTED);
        assertThat(bench.server.lockCount()).isOne();
    }

    /** A process of the host was faster than the client while the server was away. */
    @Test
    void reclaim_ofWhatTheHostHasTakenMeanwhile_isDenied() throws Exception {
        assertThat(bench.lock(CLIENT, "a", false, true, 0, 10)).isEqualTo(NlmStatus.GRANTED);
        bench.fs.close();
        assertThat(other.tryLock(true, 0, 0)).isEmpty();
        NlmBench again = new NlmBench(
                LocalFileSystem.open(base.resolve("tree"), LocalOptions.DEFAULTS),
                base.resolve("state"),
                ExportOptions.DEFAULTS);
        assertThat(again.lock(CLIENT, "a", false, true, false, 0, 10)).isEqualTo(NlmStatus.DENIED_GRACE_PERIOD);
        assertThat(again.lock(CLIENT, "a", false, true, true, 0, 10)).isEqualTo(NlmStatus.DENIED);
        assertThat(again.lock(CLIENT, "a", false, true, true, 1, 9)).isEqualTo(NlmStatus.GRANTED);
        again.fs.close();
    }
}
