package org.warpnfs.iwarp.sim;

import java.util.ArrayDeque;
import java.util.Deque;

/** The work of one end in lists by its progress, each in the order of posting. */
final class WorkLog {
    /** Work that is posted and not complete. */
    final Deque<Work> incomplete = new ArrayDeque<>();

    /** Work that has not been sent completely. */
    final Deque<Work> leaving = new ArrayDeque<>();

    /** Work that has not arrived completely. */
    final Deque<Work> arriving = new ArrayDeque<>();

    /** Reads that have been sent, at least in part, and are not answered. */
    final Deque<Work> reads = new ArrayDeque<>();

    /** Atomic operations that have been sent, at least in part, and are not answered. */
    final Deque<Work> atomics = new ArrayDeque<>();

    /**
     * Whether the Read that opened the stream is not answered. It belongs to no work request and is the oldest of all.
     */
    boolean openingRead;

    /** The number of messages for the peer's receives so far. */
    int messages;

    private boolean answersOver;
    private long lostRequestsLeaveUntil;

    /** Whether the poster knows that no more responses come. */
    private boolean answersOverKnown;

    /**
     * Whether a request was flushed since the last time that no work was incomplete and the poster knew of the loss.
     */
    private boolean requestLost;

    /** Whether, since then, work was flushed that was fenced against such a request. */
    private boolean cut;

    void posted(Work work) {
        if (answersOverKnown && incomplete.isEmpty()) {
            requestLost = false;
            cut = false;
        }
        incomplete.add(work);
        messages += work.isMessage() ? 1 : 0;
        if (answersOver && !work.mustFlush) {
            flushIfLost(work);
        }
        if (work.sendsSomething() && !work.mustFlush) {
            leaving.add(work);
            arriving.add(work);
        }
    }

    /**
     * The peer has ended its direction. No more responses come, and all work that needs no response goes on (RFC 5041,
     * section 6.2.1).
     *
     * @param endOfBatch the end of the batch that the socket has; requests in it are sent all the same
     */
    void answersAreOver(long endOfBatch) {
        answersOver = true;
        lostRequestsLeaveUntil = endOfBatch;
        openingRead = false;
        reads.clear();
        atomics.clear();
        incomplete.forEach(this::flushIfLost);
    }

    void answersOverKnown() {
        answersOverKnown = true;
    }

    private void flushIfLost(Work work) {
        boolean lost = work.awaitsAnswer() && !work.answered;
        boolean behind = !work.awaitsAnswer() && (cut || (work.request.fence() && requestLost));
        requestLost |= lost;
        cut |= behind;
        if ((lost || behind) && !work.mustFlush) {
            work.mustFlush = true;
            if (behind) {
                drop(work);
            }
        }
    }

    private void drop(Work work) {
        leaving.remove(work);
        arriving.remove(work);
    }

    /** The next work that is sent from a position in the stream. Lost requests are sent only if the socket had them. */
    Work leavingAt(long position) {
        while (!leaving.isEmpty()
                && leaving.peek().mustFlush
                && !leaving.peek().begun
                && position >= lostRequestsLeaveUntil) {
            drop(leaving.peek());
        }
        return leaving.peek();
    }

    /** Skips a request that was lost and is not sent after all. */
    Work skip(Work lost) {
        drop(lost);
        return leaving.peek();
    }

    /** Its first byte is sent. */
    void begun(Work work) {
        work.begun = true;
        if (work.awaitsAnswer() && !answersOver) {
            (work.isAtomic() ? atomics : reads).add(work);
        }
    }

    /** Whether nothing that has been or will be sent is still to arrive. */
    boolean arrivesNoMore() {
        return arriving.stream().allMatch(work -> work.mustFlush && !work.begun);
    }

    int outstandingRequests() {
        return reads.size() + atomics.size() + (openingRead ? 1 : 0);
    }

    /** Whether a request was posted before a fenced work request and is not answered. */
    boolean requestsBefore(Work fenced) {
        for (Work work : incomplete) {
            if (work == fenced) {
                return false;
            }
            if (work.awaitsAnswer() && !work.answered) {
                return true;
            }
        }
        return false;
    }

    /** Whether requests that use a region of the peer are outstanding or wait. */
    boolean requestsOf(ModelRegion target) {
        return incomplete.stream().anyMatch(work -> work.awaitsAnswer() && work.target == target);
    }

    /** The work whose segment a Terminate names; null if there is none or it is complete. */
    Work named(Segment header) {
        for (Work work : incomplete) {
            boolean named = header.tagged()
                    ? work.begun && isWriteOf(work, header)
                    : work.begun && work.qn == header.qn() && work.msn == header.msn() && work.msn > 0;
            if (named) {
                return work;
            }
        }
        return null;
    }

    /**
     * A Write that may have been begun although no byte of it has been seen, and is named by a segment that looks like
     * that of a later Write to the same place.
     */
    Work perhapsNamed(Segment header) {
        for (Work work : incomplete) {
            if (header.tagged() && isWriteOf(work, header)) {
                return work;
            }
        }
        return null;
    }

    private static boolean isWriteOf(Work work, Segment header) {
        return work.qn < 0 && header.opcode() == Segment.WRITE && work.isWriteTo(header.stag(), header.taggedOffset());
    }
}
