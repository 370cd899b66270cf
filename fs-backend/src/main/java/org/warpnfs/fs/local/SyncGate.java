package org.warpnfs.fs.local;

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
 * one. All threads that wait join one {@link Round}. One of them makes the call, and each of them gets its result. So n
 * waiting threads cost one call.
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
    private final SyncCall call;
    private final Announcement announcement;
    private final SyncCounts counts;

    /** Number of changes that have ended. */
    private long ended;
    /** Number of those that a sync has covered, or that were announced as lost. */
    private long settled;

    private volatile long failures;
    private boolean running;
    private @Nullable Round next;

    SyncGate(SyncCall call, Announcement announcement) {
        this(call, announcement, SyncCounts.ofProcess());
    }

    SyncGate(SyncCall call, Announcement announcement, SyncCounts counts) {
        this.counts = counts;
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
        announcement.lost(errno);
        synchronized (this) {
            failures++;
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
        long covered;
        synchronized (this) {
            round = next == null ? new Round(fd, kind) : next;
            next = round;
            round.join(fd, kind, withAttributes);
            awaitTurn(round);
            if (round.done) {
                round.throwIfFailed();
                return;
            }
            running = true;
            next = null;
            covered = ended;
        }
        lead(round, covered);
        round.throwIfFailed();
    }

    /** Waits until the round is done, or is the next one and no sync is running. */
    private void awaitTurn(Round round) {
        boolean interrupted = false;
        while (!round.done && (running || next != round)) {
            try {
                wait();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
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
            if (failure != null) {
                announcement.lost(failure.errno());
            }
            synchronized (this) {
                if (failure != null) {
                    failures++;
                }
                if (round.kind == Descriptor.TRACKED) {
                    settled = Math.max(settled, covered);
                }
                running = false;
                round.failure = failure;
                round.done = true;
                notifyAll();
            }
        }
    }

    /** What errors a descriptor gets, the best last. */
    enum Descriptor {
        /** Opened recently: an earlier error may have been reported to another descriptor only. */
        FRESH,
        /** Open since before the oldest change that is not settled: it gets every error that matters. */
        TRACKED
    }

    /** Threads that share one sync. The gate's lock guards it until its sync starts. */
    private static final class Round {
        private Fd fd;
        private Descriptor kind;
        private boolean withAttributes;
        /** No thread joins after the sync has started. */
        private int members;

        private boolean done;
        private @Nullable ErrnoException failure;

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
            if (failure != null) {
                throw failure;
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
