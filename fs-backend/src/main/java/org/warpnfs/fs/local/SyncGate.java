package org.warpnfs.fs.local;

import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.local.libc.Errno;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;

/**
 * Syncs one thing (a file, a directory, a journal) for all who ask: one sync at a time, and those who wait share the
 * next one.
 *
 * <h2>Operation</h2>
 *
 * A sync covers what ended before it began. Whoever asks while one is running waits for the next: all who wait
 * meanwhile join one {@link Round}, one of them makes the call, and each of them gets its result. So n waiters cost one
 * call.
 *
 * <p>Linux tells of a page that it could not write once for each open file description, takes the page for clean, and
 * says 0 from then on. So that nobody takes that 0 for his own data, the gate counts failures. A change that has to be
 * stable when it is answered notes {@link #failures()} before it begins; if the number is another after the sync, the
 * data may be what was lost. The loss is announced before the number changes, and both before anyone who waits is told.
 *
 * <h2>Errors</h2>
 *
 * A failure counts as told to all whose changes ended before the sync began: the write verifier has moved, so they
 * write again.
 *
 * <p>Safe for many threads.
 */
final class SyncGate {
    private final SyncCall call;
    private final Announcement announcement;
    private final SyncCounts counts;

    /** Changes that ended. */
    private long ended;
    /** How many of those have been covered by a sync, or given up with an announcement. */
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

    /** A change through a tracked descriptor ended, well or not. */
    synchronized void changed() {
        ended++;
    }

    /** True if a change ended that no sync has covered yet. */
    synchronized boolean isDirty() {
        return settled < ended;
    }

    /** Data may have been lost otherwise than by a sync that failed. */
    void lost(int errno) {
        announcement.lost(errno);
        synchronized (this) {
            failures++;
        }
    }

    /**
     * Brings to stable storage what ended before. Waits without end, as long as the kernel does.
     *
     * @param fd stays open until this returns
     * @param kind of the descriptor: those who share a sync use the best that any of them has
     * @param withAttributes also those attributes that the data do not need
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

    /** Until the round is over, or is next and nobody runs it. */
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

    /** What a descriptor can tell, the best last. */
    enum Descriptor {
        /** Opened lately: an error from before may have been told to another. */
        FRESH,
        /** Open since before the oldest change that is not settled: it is told of every error that matters. */
        TRACKED
    }

    /** Those who share one sync; the gate's lock guards it until it is led. */
    private static final class Round {
        private Fd fd;
        private Descriptor kind;
        private boolean withAttributes;
        /** No more join once it is led. */
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

    /** Makes the call. */
    @FunctionalInterface
    interface SyncCall {
        void sync(Fd fd, boolean withAttributes) throws ErrnoException;
    }

    /** Lets clients know that unstable data may be lost; before anyone else hears of it. */
    @FunctionalInterface
    interface Announcement {
        void lost(int errno);
    }
}
