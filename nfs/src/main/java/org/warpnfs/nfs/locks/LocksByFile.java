package org.warpnfs.nfs.locks;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileIdentity;

/** What is locked and waited for, by file, and the one lock under which all of it is seen and changed. */
final class LocksByFile {
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<FileIdentity, FileLocks> files = new HashMap<>();
    /** Files of which a lock is being taken at a backend. */
    private final Set<FileLocks> taking = new HashSet<>();
    /** Files for which somebody stands in line. */
    private final Set<FileLocks> withLines = new HashSet<>();

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
            files.computeIfPresent(file, (_, locks) -> {
                index(taking, locks, !locks.pending().isEmpty());
                index(withLines, locks, !locks.waiting().isEmpty());
                return locks.isUnused() ? null : locks;
            });
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

    private static void index(Set<FileLocks> some, FileLocks locks, boolean belongs) {
        if (belongs) {
            some.add(locks);
        } else {
            some.remove(locks);
        }
    }

    /** True while a lock is being taken at a backend. */
    boolean isAnyTaking() {
        return look(() -> !taking.isEmpty());
    }

    /** The files for which somebody stands in line. */
    List<FileIdentity> withLines() {
        return look(() -> withLines.stream().map(FileLocks::identity).toList());
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
