package org.warpnfs.iwarp.sim;

import java.util.ArrayDeque;
import java.util.Deque;

/** The work of one end: what of it is where on its way, each list in the order of posting. */
final class WorkLog {
    /** Posted and not complete. */
    final Deque<Work> incomplete = new ArrayDeque<>();

    /** Of which not everything has left. */
    final Deque<Work> leaving = new ArrayDeque<>();

    /** Of which not everything has arrived. */
    final Deque<Work> arriving = new ArrayDeque<>();

    /** Reads that have begun to leave and are not answered. */
    final Deque<Work> reads = new ArrayDeque<>();

    /** Atomic operations of the same kind. */
    final Deque<Work> atomics = new ArrayDeque<>();

    /** Whether the Read that opened the stream is not answered; it is nobody's work, and the oldest of all. */
    boolean openingRead;

    /** Messages for the peer's receives, ever. */
    int messages;

    private boolean answersOver;
    private long lostRequestsLeaveUntil;

    /** Whether whoever posts knows that. */
    private boolean answersOverKnown;

    /** Whether a request was flushed since the last time that nothing was incomplete and that was known. */
    private boolean requestLost;

    /** Whether, since then, work was flushed that was to follow the answer to such a request. */
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
     * The peer has ended its direction: nothing is answered any more, and all that needs no answer goes on (RFC 5041,
     * section 6.2.1).
     *
     * @param endOfBatch where the batch ends that the socket has; requests in it leave all the same
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

    /**
     * The next work that leaves, as from a place in the stream; requests that were lost do so only if the socket had
     * them.
     */
    Work leavingAt(long position) {
        while (!leaving.isEmpty()
                && leaving.peek().mustFlush
                && !leaving.peek().begun
                && position >= lostRequestsLeaveUntil) {
            drop(leaving.peek());
        }
        return leaving.peek();
    }

    /** A request that was lost does not leave after all. */
    Work skip(Work lost) {
        drop(lost);
        return leaving.peek();
    }

    /** Its first byte leaves. */
    void begun(Work work) {
        work.begun = true;
        if (work.awaitsAnswer() && !answersOver) {
            (work.isAtomic() ? atomics : reads).add(work);
        }
    }

    /** Whether anything that leaves has not arrived. */
    boolean arrivesNoMore() {
        return arriving.stream().allMatch(work -> work.mustFlush && !work.begun);
    }

    int outstandingRequests() {
        return reads.size() + atomics.size() + (openingRead ? 1 : 0);
    }

    /** Whether anything that a fence waits for was posted before a work request and is not answered. */
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

    /** Whether requests are outstanding, or wait, that use a region of the peer's. */
    boolean requestsOf(ModelRegion target) {
        return incomplete.stream().anyMatch(work -> work.awaitsAnswer() && work.target == target);
    }

    /** The work a segment of which a Terminate names; null if it is none, or complete. */
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
     * The Write that may have been begun, though not a byte of it has been seen yet, and then is named by a segment
     * which is that of a Write behind us: both go to the same place.
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
