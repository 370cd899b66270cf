package org.warpnfs.fs.local;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;

/** Sees to it that descriptors are closed only when no operation uses them: a number would else be another file's. */
final class TreeUse {
    private static final long CLOSE_TIMEOUT_SECONDS = 30;

    private final UseCount users = new UseCount();
    private final CountDownLatch released = new CountDownLatch(1);
    private final Runnable release;

    /**
     * Of a tree that is open.
     *
     * @param release closes it; is called once, by whoever leaves last
     */
    TreeUse(Runnable release) {
        this.release = release;
    }

    /** An operation begins; STALE once closed. */
    void enter() throws FsException {
        if (!users.enter()) {
            throw FsException.of(FsError.STALE, "the file system is closed");
        }
    }

    /** As {@link #enter}, but false once closed. */
    boolean tryEnter() {
        return users.enter();
    }

    /** An operation ends. */
    void leave() {
        if (users.leave()) {
            releaseNow();
        }
    }

    /** Lets nobody in any more, and waits for those within. */
    void close() {
        if (users.close()) {
            releaseNow();
        }
        try {
            if (!released.await(CLOSE_TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("an operation goes on for " + CLOSE_TIMEOUT_SECONDS
                        + " s; the file system closes when it ends");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void releaseNow() {
        try {
            release.run();
        } finally {
            released.countDown();
        }
    }
}
