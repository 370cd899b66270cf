package org.warpnfs.fs.local;

import com.google.common.util.concurrent.Uninterruptibles;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.local.libc.Errno;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;

/**
 * Syncs one object (a file, a directory, a journal) for all threads that ask. One sync runs at a time, and the threads
 * that wait share the next one.
 *
 * <h2>Operation</h2>
 *
 * A sync covers the changes that ended before it began. A thread that asks while a sync is running waits for the next
 * one. All threads that wait join one {@link Round}. The first of them makes the call, and each of them gets its
 * result. So n waiting threads cost one call. They wait for the round and not for the gate's lock, which they would
 * have to take one after another when they wake.
 *
 * <p>If Linux could not write a page, it reports that once to each open file description. It then marks the page clean
 * and answers 0 from then on. The gate counts failures, so that no thread mistakes that 0 for the result of its own
 * data. A thread whose change must be stable when it is answered reads {@link #failures()} before the change. If the
 * number differs after the sync, the change may be lost. The loss is announced before the number changes, and both
 * happen before a waiting thread gets the result.
 *
 * <h2>Errors</h2>
 *
 * A failure counts as reported for all changes that ended before the sync began: the write verifier has changed, so
 * clients write again.
 *
 * <p>Safe for many threads.
 */
final class SyncGate {
    private final Scope scope;
    private final SyncCall call;
    private final Announcement announcement;
    private final SyncCounts counts;
    private final SyncWaits waits;

    /** Number of changes that have ended. */
    private long ended;
    /** Number of those that a sync has covered, or that were announced as lost. */
    private long settled;

    private volatile long failures;
    /** True while a round has its turn. */
    private boolean running;

    private @Nullable Round next;

    SyncGate(Scope scope, SyncCall call, Announcement announcement, SyncWaits waits) {
        this(scope, call, announcement, waits, SyncCounts.ofProcess());
    }

    SyncGate(Scope scope, SyncCall call, Announcement announcement, SyncWaits waits, SyncCounts counts) {
        this.scope = scope;
        this.counts = counts;
        this.waits = waits;
        this.call = call;
        this.announcement = announcement;
    }

    /** How often data of this file may have been lost. */
    long failures() {
        return failures;
    }

    /** Notes that a change through a tracked descriptor ended, whether it succeeded or not. */
    synchronized void changed() {
        ended++;
    }

    /** True if a change has ended that no sync has covered yet. */
    synchronized boolean isDirty() {
        return settled < ended;
    }

    /** Announces that data may have been lost by other means than a failed sync. */
    void lost(int errno) {
        try {
            announcement.lost(errno);
        } finally {
            synchronized (this) {
                failures++;
            }
        }
    }

    /**
     * Brings earlier changes to stable storage. Waits as long as the kernel takes, without a time limit.
     *
     * @param fd stays open until this returns
     * @param kind what errors the descriptor gets; a shared sync uses the best descriptor of its members
     * @param withAttributes also syncs those attributes that are not needed to read the data
     */
    void sync(Fd fd, Descriptor kind, boolean withAttributes) throws ErrnoException {
        Round round;
        boolean leads;
        synchronized (this) {
            Round open = next;
            leads = open == null;
            round = open == null ? new Round(fd, kind) : open;
            next = round;
            round.join(fd, kind, withAttributes);
            if (!running) {
                running = true;
                round.turn.countDown();
            }
        }
        share(round, leads);
        round.throwIfFailed();
    }

    private void share(Round round, boolean leads) {
        boolean begun = false;
        try {
            begun = (!leads || scope == Scope.FILE_SYSTEM) && waits.begin();
        } finally {
            // Even if that failed: a round needs its leader, and may be using this thread's descriptor.
            try {
                complete(round, leads);
            } finally {
                waits.end(begun);
            }
        }
    }

    private void complete(Round round, boolean leads) {
        if (leads) {
            Uninterruptibles.awaitUninterruptibly(round.turn);
            lead(round, begin());
        } else {
            Uninterruptibles.awaitUninterruptibly(round.done);
        }
    }

    /** The next round begins, so no thread joins it any more. Returns the number of changes that it covers. */
    private synchronized long begin() {
        next = null;
        return ended;
    }

    private void lead(Round round, long covered) {
        ErrnoException failure = ErrnoException.of(Errno.EIO);
        try {
            call.sync(round.fd, round.withAttributes);
            failure = null;
        } catch (ErrnoException e) {
            failure = e;
        } finally {
            counts.ended(round.members, failure != null);
            try {
                if (failure != null) {
                    announcement.lost(failure.errno());
                }
            } finally {
                // Whatever the announcement throws: others wait for this round and for the next one.
                end(round, covered, failure);
            }
        }
    }

    private void end(Round round, long covered, @Nullable ErrnoException failure) {
        synchronized (this) {
            if (failure != null) {
                failures++;
            }
            if (round.kind == Descriptor.TRACKED) {
                settled = Math.max(settled, covered);
            }
            round.failure = failure;
            if (next == null) {
                running = false;
            } else {
                next.turn.countDown();
            }
        }
        round.done.countDown();
    }

    /** What a sync covers. It decides which threads of a round are told to {@link SyncWaits}. */
    enum Scope {
        /**
         * One file or directory. A thread that syncs it is not told, since syncs of many files run side by side, and
         * their number shall stay bounded. Those that another thread's sync serves are told.
         */
        FILE,
        /** All changes of a journal or file system. Every thread is told: one sync runs, however many threads wait. */
        FILE_SYSTEM
    }

    /** What errors a descriptor gets, the best last. */
    enum Descriptor {
        /** Opened recently: an earlier error may have been reported to another descriptor only. */
        FRESH,
        /** Open since before the oldest change that is not settled: it gets every error that matters. */
        TRACKED
    }

    /** Threads that share one sync, of which the first makes the call. The gate's lock guards it until that begins. */
    private static final class Round {
        private Fd fd;
        private Descriptor kind;
        private boolean withAttributes;
        /** No thread joins after the sync has started. */
        private int members;

        /** Open when the sync before has ended. */
        private final CountDownLatch turn = new CountDownLatch(1);

        /** Open when this sync has ended. */
        private final CountDownLatch done = new CountDownLatch(1);

        private volatile @Nullable ErrnoException failure;

        Round(Fd fd, Descriptor kind) {
            this.fd = fd;
            this.kind = kind;
        }

        void join(Fd other, Descriptor otherKind, boolean attributes) {
            if (otherKind.compareTo(kind) > 0) {
                fd = other;
                kind = otherKind;
            }
            withAttributes |= attributes;
            members++;
        }

        void throwIfFailed() throws ErrnoException {
            ErrnoException thrown = failure;
            if (thrown != null) {
                throw thrown;
            }
        }
    }

    /** The system call that syncs. */
    @FunctionalInterface
    interface SyncCall {
        void sync(Fd fd, boolean withAttributes) throws ErrnoException;
    }

    /** Tells clients that unstable data may be lost. It is called before any thread gets the failure. */
    @FunctionalInterface
    interface Announcement {
        void lost(int errno);
    }
}
