package org.warpnfs.fs.local;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;

/**
 * Closes a tree's descriptors only when no operation uses them. Otherwise another file could get the descriptor's
 * number.
 */
final class TreeUse {
    private static final long CLOSE_TIMEOUT_SECONDS = 30;

    private final UseCount users = new UseCount();
    private final CountDownLatch released = new CountDownLatch(1);
    private final Runnable release;

    /**
     * Makes the count of an open tree.
     *
     * @param release closes the tree; called once, by the last user to leave
     */
    TreeUse(Runnable release) {
        this.release = release;
    }

    /** Begins an operation; STALE if the tree is closed. */
    void enter() throws FsException {
        if (!users.enter()) {
            throw FsException.of(FsError.STALE, "the file system is closed");
        }
    }

    /** Begins an operation, or returns false if the tree is closed. */
    boolean tryEnter() {
        return users.enter();
    }

    /** Ends an operation. If it was the last one of a closed tree, another thread closes the tree's descriptors. */
    void leave() {
        if (users.leave()) {
            try {
                Thread.ofPlatform().daemon().name("warpnfs-fs-close").start(this::releaseNow);
            } catch (OutOfMemoryError e) {
                // There is no room for another thread.
                releaseNow();
            }
        }
    }

    /**
     * Refuses new operations and waits for those in progress, at most {@value #CLOSE_TIMEOUT_SECONDS} s.
     *
     * @throws IllegalStateException if an operation takes longer; the tree is then closed when it ends
     */
    void close() {
        if (users.close()) {
            releaseNow();
        }
        try {
            if (!released.await(CLOSE_TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("an operation is still in progress after " + CLOSE_TIMEOUT_SECONDS
                        + " s; the file system is closed when it ends");
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
