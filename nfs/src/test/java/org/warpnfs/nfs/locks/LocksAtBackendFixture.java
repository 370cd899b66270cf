package org.warpnfs.nfs.locks;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.fs.local.LocalFileSystem;
import org.warpnfs.fs.local.LocalOptions;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OwnerLocks;

/**
 * A file that is locked at the host too, and another server of the same directory, which sees these locks. What the
 * service leaves to other threads waits in lists until the test runs it.
 */
abstract class LocksAtBackendFixture {
    static final ByteRange ALL = ByteRange.ALL;

    @TempDir
    Path directory;

    LocalFileSystem files;
    LocalFileSystem elsewhere;
    LockedFile file;

    final List<Runnable> work = new ArrayList<>();
    final List<Runnable> timers = new ArrayList<>();
    /** Words of those who were told that they have a lock, or shall ask again. */
    final List<String> told = new ArrayList<>();

    private final List<Runnable> notices = new ArrayList<>();
    LockService service = service(100);

    /** Makes a service of so many owners that have locks at a backend. */
    final LockService service(int mostOwners) {
        return new LockService(
                100, notices::add, BackendLocking.on(work::add, mostOwners), (_, task) -> timers.add(task));
    }

    @BeforeEach
    void start() throws Exception {
        Files.write(directory.resolve("f"), new byte[0]);
        files = LocalFileSystem.open(directory, LocalOptions.DEFAULTS);
        elsewhere = LocalFileSystem.open(directory, LocalOptions.DEFAULTS);
        file = LockedFile.of(files, handle(files));
    }

    @AfterEach
    void stop() {
        files.close();
        elsewhere.close();
    }

    static FileHandle handle(LocalFileSystem of) throws Exception {
        return of.lookup(Caller.ROOT, of.root(), FileName.of("f")).handle();
    }

    /** An owner of locks at the other server. */
    OwnerLocks somebodyElse() throws Exception {
        return elsewhere.openLocks(handle(elsewhere), OpenAccess.READ_WRITE);
    }

    /** Whether the other server can lock this byte. */
    boolean canLock(boolean exclusive, long at) throws Exception {
        try (OwnerLocks other = somebodyElse()) {
            return other.tryLock(exclusive, at, at).isEmpty();
        }
    }

    static ByteRange range(long first, long last) {
        return new ByteRange(first, last);
    }

    LockAttempt lock(Locker owner, boolean exclusive, ByteRange range) throws LocksBusyException {
        LockAttempt attempt = service.lock(file, owner, exclusive, range);
        Reservation reservation = attempt.reservation();
        return reservation == null ? attempt : reservation.settle();
    }

    void unlock(Locker owner, ByteRange range) {
        int _ = service.unlock(file.identity(), owner, range, Runnable::run);
    }

    /** Runs what is in a list. What is added meanwhile stays. */
    static void runAll(List<Runnable> tasks) {
        List<Runnable> now = List.copyOf(tasks);
        tasks.clear();
        now.forEach(Runnable::run);
    }

    /** Does the work that is due, and returns the words of those who were told since the last call. */
    List<String> toldNow() {
        runAll(work);
        runAll(notices);
        List<String> now = List.copyOf(told);
        told.clear();
        return now;
    }
}
