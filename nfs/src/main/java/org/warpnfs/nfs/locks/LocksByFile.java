package org.warpnfs.nfs.locks;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileIdentity;

/** What is locked and waited for, by file, and the one lock under which all of it is seen and changed. */
final class LocksByFile {
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<FileIdentity, FileLocks> files = new HashMap<>();

    /** A step under the lock. */
    @FunctionalInterface
    interface Step<T, X extends Exception> {
        /**
         * Takes the step.
         *
         * @param after runs what follows when the lock is free: notices of waiters, and work at the backend
         */
        T on(FileLocks locks, List<Runnable> after) throws X;
    }

    /** A question about a file. */
    @FunctionalInterface
    interface Question<T, X extends Exception> {
        T of(FileLocks locks) throws X;
    }

    /**
     * Runs a step under the lock, then what follows from it.
     *
     * @throws X as the step does
     */
    <T, X extends Exception> T on(FileIdentity file, Step<T, X> step) throws X {
        List<Runnable> after = new ArrayList<>(0);
        lock.lock();
        try {
            return step.on(files.computeIfAbsent(file, FileLocks::new), after);
        } finally {
            files.computeIfPresent(file, (_, locks) -> locks.isUnused() ? null : locks);
            lock.unlock();
            after.forEach(Runnable::run);
        }
    }

    /**
     * Asks about a file.
     *
     * @param unused the answer if nobody has locks on the file or waits for one
     * @throws X as the question does
     */
    <T, X extends Exception> T ask(FileIdentity file, T unused, Question<T, X> question) throws X {
        lock.lock();
        try {
            FileLocks locks = files.get(file);
            return locks == null ? unused : question.of(locks);
        } finally {
            lock.unlock();
        }
    }

    /** Looks at something under the lock. */
    <T extends @Nullable Object> T look(Supplier<T> what) {
        lock.lock();
        try {
            return what.get();
        } finally {
            lock.unlock();
        }
    }

    /** What the files that fit have, with at least one lock or request each. */
    <T> List<T> of(Predicate<FileLocks> which, Function<FileLocks, T> what) {
        return look(() -> files.values().stream().filter(which).map(what).toList());
    }

    /** The locks of files at their backends. */
    List<BackendLocks> backends() {
        return look(() -> files.values().stream()
                .flatMap(locks -> Stream.ofNullable(locks.backend()))
                .toList());
    }

    /** Number of files that have locks or lines. */
    int count() {
        return look(files::size);
    }
}
