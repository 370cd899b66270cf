package org.warpnfs.iwarp.sim;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.OptionalLong;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;

/** The receives of one end, in the order of posting, and the completions that it must get for them. */
final class ReceiveLog {
    /** Posted receives that are not filled. */
    final Deque<Receive> posted = new ArrayDeque<>();

    /** Completions that must be reported before the step ends. */
    final Deque<Delivery> due = new ArrayDeque<>();

    /** The capacities of all receives ever posted. The capacity of each limits the peer's message of that number. */
    private final List<Integer> capacities = new ArrayList<>();

    /** A receive, and the memory that its message goes to. */
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
     * The completion of a receive.
     *
     * @param message the work that the peer posted; null if the receive failed
     */
    record Delivery(Receive receive, CompletionStatus status, Work message, OptionalLong invalidated) {}

    void posted(Receive receive) {
        posted.add(receive);
        capacities.add(receive.capacityBytes);
    }

    /** The longest possible message of the peer with this number; -1 if nothing is posted for it. */
    int capacityFor(int message) {
        return message < capacities.size() ? capacities.get(message) : -1;
    }

    /** The oldest receive has ended. */
    void over(CompletionStatus status, Work message, OptionalLong invalidated) {
        due.add(new Delivery(posted.remove(), status, message, invalidated));
    }

    /** Checks that a completion is the one that is due. */
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
     * Checks that a receive is returned unused.
     *
     * @param shared whether receives that no message has begun to fill are kept
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
