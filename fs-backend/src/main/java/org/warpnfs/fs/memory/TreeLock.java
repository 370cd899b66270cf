package org.warpnfs.fs.memory;

import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.warpnfs.fs.spi.FsException;

/** The lock that guards the shape of a tree. Safe for many threads. */
final class TreeLock {
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();

    /** Runs an operation that only reads. Others may read at the same time. */
    <T> T reading(Operation<T> operation) throws FsException {
        return under(lock.readLock(), operation);
    }

    /** Runs an operation that changes the tree, exclusively. */
    <T> T writing(Operation<T> operation) throws FsException {
        return under(lock.writeLock(), operation);
    }

    /** Runs an operation that changes the tree and cannot fail, exclusively. */
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

    /** An operation to be run under the lock. */
    @FunctionalInterface
    interface Operation<T> {
        T run() throws FsException;
    }
}
