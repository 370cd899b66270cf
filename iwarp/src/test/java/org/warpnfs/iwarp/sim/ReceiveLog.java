package org.warpnfs.iwarp.sim;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.OptionalLong;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;

/** The receives of one end, in the order of posting, and what it has to hear of them. */
final class ReceiveLog {
    /** Posted, and not filled. */
    final Deque<Receive> posted = new ArrayDeque<>();

    /** To be told before the step is over. */
    final Deque<Delivery> due = new ArrayDeque<>();

    /** Receives, ever; the capacity of each is what the peer's message of that number may have. */
    private final List<Integer> capacities = new ArrayList<>();

    /** A receive, and where in its memory the message goes. */
    static final class Receive {
        final long id;
        final Arena.Span span;
        final int start;
        final int capacityBytes;

        /** A message has begun to fill it. */
        boolean begun;

        Receive(long id, Arena.Span span, int start, int capacityBytes) {
            this.id = id;
            this.span = span;
            this.start = start;
            this.capacityBytes = capacityBytes;
        }
    }

    /**
     * What becomes of a receive.
     *
     * @param message what the peer posted; null if the receive failed
     */
    record Delivery(Receive receive, CompletionStatus status, Work message, OptionalLong invalidated) {}

    void posted(Receive receive) {
        posted.add(receive);
        capacities.add(receive.capacityBytes);
    }

    /** What the peer's message of that number may have at most; -1 if nothing is posted for it. */
    int capacityFor(int message) {
        return message < capacities.size() ? capacities.get(message) : -1;
    }

    /** The oldest receive is over. */
    void over(CompletionStatus status, Work message, OptionalLong invalidated) {
        due.add(new Delivery(posted.remove(), status, message, invalidated));
    }

    /** A completion is the one that is due. */
    Delivery take(Completion completion) {
        Delivery delivery = due.poll();
        Broken.unless(
                delivery != null
                        && delivery.receive().id == completion.workRequestId()
                        && delivery.status() == completion.status(),
                () -> "completion " + completion + " is not the one due: " + delivery);
        return delivery;
    }

    /**
     * A receive is given back unused.
     *
     * @param shared whether those that no message has begun to fill stay
     */
    Receive takeFlushed(Completion completion, boolean shared) {
        Receive receive = posted.poll();
        Broken.unless(
                receive != null
                        && receive.id == completion.workRequestId()
                        && completion.status() == CompletionStatus.FLUSHED
                        && (!shared || receive.begun),
                () -> "receive flushed out of turn: " + completion);
        return receive;
    }
}
