package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;

/** The kernel's sync calls, counted. They fail or wait when a test says so. */
final class FailingSyncs implements Durability.SyncCalls {
    private static final long LIMIT_SECONDS = 60;

    private final Startup.KernelSyncCalls kernel = new Startup.KernelSyncCalls();
    private final Semaphore began = new Semaphore(0);
    private final Semaphore mayEnd = new Semaphore(0);
    private final AtomicInteger count = new AtomicInteger();
    private volatile boolean holds;
    private volatile int errno;

    /** Makes calls that begin from now on fail. */
    void fail(int withErrno) {
        errno = withErrno;
    }

    void heal() {
        errno = 0;
    }

    /** Number of calls since {@link #forget}. */
    int count() {
        return count.get();
    }

    void forget() {
        count.set(0);
    }

    /** Makes calls that begin from now on wait until {@link #letGo}. */
    void hold() {
        began.drainPermits();
        holds = true;
    }

    void letGo() {
        mayEnd.release(1000);
    }

    /** Lets one call that waits go on. */
    void letOneGo() {
        mayEnd.release();
    }

    void awaitBegin() throws InterruptedException {
        assertThat(began.tryAcquire(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    private void call() throws ErrnoException {
        int code = errno;
        count.incrementAndGet();
        began.release();
        if (holds) {
            mayEnd.acquireUninterruptibly();
        }
        if (code != 0) {
            throw ErrnoException.of(code);
        }
    }

    @Override
    public void fsync(Fd fd) throws ErrnoException {
        call();
        kernel.fsync(fd);
    }

    @Override
    public void fdatasync(Fd fd) throws ErrnoException {
        call();
        kernel.fdatasync(fd);
    }

    @Override
    public void syncFileSystem(Fd fd) throws ErrnoException {
        call();
        kernel.syncFileSystem(fd);
    }
}
