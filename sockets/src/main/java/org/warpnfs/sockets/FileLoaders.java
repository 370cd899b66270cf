package org.warpnfs.sockets;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.limits.FairShare;
import org.warpnfs.limits.LogLimiter;

/**
 * Threads that read bytes of files which the page cache has lost, shared fairly.
 *
 * <h2>Operation</h2>
 *
 * A share is one client's use of one store. Shares take turns. They have {@value #USUAL} threads by {@link FairShare}.
 * A share that runs nothing gets a thread of its own if those are taken, up to {@value #MOST} threads in all: so
 * neither a dead disk nor a client keeps others waiting, unless more shares than that are held.
 *
 * <h2>Errors</h2>
 *
 * If no thread can be started, a load waits for those that run. If none runs, it is refused. A load that throws is
 * logged. Safe for any thread.
 */
final class FileLoaders {
    /** The threads that several loads of one share may use. */
    static final int USUAL = 8;

    /** The most threads. Beyond the usual ones there is at most one for each share. */
    static final int MOST = 72;

    /** A store with a load that has run for longer is held. A disk that is only busy takes less time. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final int IDLE_SECONDS = 10;

    private static final Logger LOG = LoggerFactory.getLogger(FileLoaders.class);
    private static final LogLimiter LINES = new LogLimiter();

    /** Those of the process. */
    static final FileLoaders OF_PROCESS = new FileLoaders();

    /** @param store as {@link org.warpnfs.payload.FileRange#store()} says */
    record Share(ClientAddress client, Object store) {}

    /** What a thread does. One of the methods is called, once. */
    interface Load {
        void run();

        /** No thread will ever run it. */
        void refused(Throwable cause);
    }

    private static final class Taker {
        final Share share;
        final Deque<Load> waiting = new ArrayDeque<>();
        int running;

        Taker(Share share) {
            this.share = share;
        }
    }

    private record Running(Taker taker, Load load, long sinceNanos) {
        @Override
        public boolean equals(Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    private final Object lock = new Object();
    private final Executor threads;

    /** Shares that run or wait for something. */
    private final Map<Share, Taker> takers = new HashMap<>();

    /** Shares that wait, the next in turn first. */
    private final SequencedMap<Share, Taker> turns = new LinkedHashMap<>();

    /** Running loads, in the order in which they began. */
    private final Set<Running> running = new LinkedHashSet<>();

    /** Threads that run loads, or are being started. */
    private int loaderThreads;

    private volatile boolean busy;

    FileLoaders() {
        this(new ThreadPoolExecutor(
                0,
                Integer.MAX_VALUE,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                Thread.ofPlatform().daemon().name("file-loader-", 0).factory()));
    }

    /** @param threads runs each task at once on a thread of its own, or throws if there is none */
    FileLoaders(Executor threads) {
        this.threads = threads;
    }

    /** Runs a load when it is the turn of its share. */
    void execute(Share share, Load load) {
        List<Running> begun;
        synchronized (lock) {
            Taker taker = takers.computeIfAbsent(share, Taker::new);
            taker.waiting.add(load);
            turns.putIfAbsent(share, taker);
            begun = begin();
        }
        start(begun);
    }

    /** True if a load of this store has run for so long that its disk may be dead. */
    boolean isHeld(Object store) {
        return isHeld(store, PATIENCE_NANOS);
    }

    /** True if a load of this store has run for at least {@code nanos}. */
    boolean isHeld(Object store, long nanos) {
        if (!busy) {
            return false;
        }
        long now = System.nanoTime();
        synchronized (lock) {
            for (Running load : running) {
                if (now - load.sinceNanos < nanos) {
                    return false;
                }
                if (load.taker.share.store.equals(store)) {
                    return true;
                }
            }
            return false;
        }
    }

    private List<Running> begin() {
        List<Running> begun = new ArrayList<>(1);
        for (Taker next = next(); next != null; next = next()) {
            Running load = new Running(next, next.waiting.remove(), System.nanoTime());
            next.running++;
            running.add(load);
            begun.add(load);
            turns.remove(next.share);
            if (!next.waiting.isEmpty()) {
                turns.put(next.share, next);
            }
        }
        busy = !running.isEmpty();
        return begun;
    }

    /** Every share that is skipped here runs something, so this looks at no more of them than there are threads. */
    private @Nullable Taker next() {
        int free = USUAL - running.size();
        for (Taker taker : turns.values()) {
            if (taker.running == 0) {
                return running.size() < MOST ? taker : null;
            }
            if (FairShare.allows(taker.running, 1, free)) {
                return taker;
            }
        }
        return null;
    }

    private void start(List<Running> begun) {
        Deque<Running> left = new ArrayDeque<>(begun);
        for (Running first = left.poll(); first != null; first = left.poll()) {
            synchronized (lock) {
                loaderThreads++;
            }
            Running load = first;
            try {
                threads.execute(() -> runAll(load));
            } catch (RejectedExecutionException | OutOfMemoryError e) {
                // The system has no more threads.
                left.addFirst(load);
                if (!putBack(left)) {
                    left.remove();
                    left.addAll(leave(load));
                    refuse(load, e);
                }
            }
        }
    }

    /**
     * Counts a thread that could not be started. If other threads run loads, these loads wait for them: none stays in
     * {@code left}. Returns false if there are none.
     */
    private boolean putBack(Deque<Running> left) {
        synchronized (lock) {
            loaderThreads--;
            if (loaderThreads == 0) {
                return false;
            }
            for (Running load = left.pollLast(); load != null; load = left.pollLast()) {
                running.remove(load);
                Taker taker = load.taker;
                taker.running--;
                taker.waiting.addFirst(load.load);
                turns.putFirst(taker.share, taker);
            }
            return true;
        }
    }

    private void runAll(Running first) {
        for (Running load = first; load != null; ) {
            try {
                load.load.run();
            } catch (Throwable e) {
                // The others wait for this thread.
                report(load, e);
            }
            load = next(load);
        }
    }

    /** Returns the load that this thread runs after another; null if there is none, and the thread ends. */
    private @Nullable Running next(Running ended) {
        List<Running> begun;
        synchronized (lock) {
            begun = leave(ended);
            if (begun.isEmpty()) {
                loaderThreads--;
                return null;
            }
        }
        start(begun.subList(1, begun.size()));
        return begun.getFirst();
    }

    private void refuse(Running load, Throwable cause) {
        try {
            load.load.refused(cause);
        } catch (Throwable e) {
            report(load, e);
        }
    }

    private static void report(Running load, Throwable defect) {
        try {
            LINES.admit("load", load.taker.share.client)
                    .ifPresent(more -> LOG.error("A load failed ({} more like it)", more, defect));
        } catch (OutOfMemoryError e) {
            // There is no memory for the line either.
        }
    }

    /** Ends a load. Returns those that begin in its place. */
    private List<Running> leave(Running load) {
        synchronized (lock) {
            running.remove(load);
            Taker taker = load.taker;
            taker.running--;
            if (taker.running == 0 && taker.waiting.isEmpty()) {
                takers.remove(taker.share);
            }
            return begin();
        }
    }
}
