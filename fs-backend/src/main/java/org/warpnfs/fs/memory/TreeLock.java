package org.warpnfs.fs.memory;

import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.warpnfs.fs.spi.FsException;

/** The lock that guards the shape of a tree. Safe for many threads. */
final class TreeLock {
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();

    /** Beside others that read. */
    <T> T reading(Operation<T> operation) throws FsException {
        return under(lock.readLock(), operation);
    }

    /** Alone. */
    <T> T writing(Operation<T> operation) throws FsException {
        return under(lock.writeLock(), operation);
    }

    /** Alone, and nothing fails. */
    void writing(Runnable operation) {
        lock.writeLock().lock();
        try {
            operation.run();
        } finally {
            lock.writeLock().unlock();
        }
    }

    private static <T> T under(Lock held, Operation<T> operation) throws FsException {
        held.lock();
        try {
            return operation.run();
        } finally {
            held.unlock();
        }
    }

    /** What is done under the lock. */
    @FunctionalInterface
    interface Operation<T> {
        T run() throws FsException;
    }
}
