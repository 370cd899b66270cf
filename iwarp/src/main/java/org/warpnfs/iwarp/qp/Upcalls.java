package org.warpnfs.iwarp.qp;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.DisconnectReason;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.iwarp.verbs.QueuePairHandler;

/**
 * What the upper layer is going to hear, in order.
 *
 * <h2>Operation</h2>
 *
 * Noted as it happens, told when the machine is done with what it was called for: so the upper layer is free to post, flush or
 * abort from within a call, and is never called while it calls.
 *
 * <h2>Buffers</h2>
 *
 * Refers to those of completions not told yet.
 *
 * <h2>Errors</h2>
 *
 * What the upper layer throws goes to the machine, which ends the connection; the rest is told all the same.
 */
final class Upcalls {
    private final QueuePair queuePair;
    private final Consumer<Throwable> bugs;
    private final Queue<Object> events = new ArrayDeque<>();

    /** The end, until it is told: behind all other events, also those that telling them leads to. */
    private @Nullable DisconnectReason end;

    private @Nullable QueuePairHandler handler;
    private @Nullable LocalCompletionQueue completionQueue;

    /** Told besides completions and the end. */
    private enum Notice {
        ESTABLISHED
    }

    /** The peer's end, and who hears when it is told. */
    private record HalfClose(Runnable told) {}

    Upcalls(QueuePair queuePair, @Nullable QueuePairHandler handler, Consumer<Throwable> bugs) {
        this.queuePair = queuePair;
        this.handler = handler;
        this.bugs = bugs;
    }

    void setHandler(QueuePairHandler upperLayer) {
        handler = upperLayer;
    }

    /** Completions go there from now on. */
    void completeTo(LocalCompletionQueue queue) {
        completionQueue = queue;
        queue.attach();
    }

    void established() {
        events.add(Notice.ESTABLISHED);
    }

    void halfClosed(Runnable told) {
        events.add(new HalfClose(told));
    }

    void completed(Completion completion) {
        events.add(completion);
    }

    void disconnected(DisconnectReason reason) {
        end = reason;
    }

    boolean isEmpty() {
        return events.isEmpty() && end == null;
    }

    private @Nullable Object poll() {
        Object event = events.poll();
        if (event == null) {
            event = end;
            end = null;
        }
        return event;
    }

    /** Whether no completion of work is among what is to be told. */
    boolean workTold() {
        return events.stream().noneMatch(event -> event instanceof Completion completion && !isReceive(completion));
    }

    private static boolean isReceive(Completion completion) {
        return completion instanceof Completion.Received || completion instanceof Completion.ReceivedImmediate;
    }

    /** Whether the upper layer has nothing under way; one that cannot say it has. */
    boolean upperLayerIdle() {
        QueuePairHandler upperLayer = handler;
        boolean[] idle = new boolean[1];
        if (upperLayer != null) {
            guarded(() -> idle[0] = upperLayer.idle(queuePair));
        }
        return idle[0];
    }

    /** Tells all there is to tell. */
    void deliver() {
        QueuePairHandler upperLayer = handler;
        if (upperLayer == null) {
            // Nobody has accepted the connection, so nobody has posted anything either.
            events.clear();
            end = null;
            return;
        }
        boolean completions = false;
        for (Object event = poll(); event != null; event = poll()) {
            completions |= event instanceof Completion && completionQueue == null;
            Object told = event;
            guarded(() -> tell(upperLayer, told));
        }
        if (completions) {
            guarded(() -> upperLayer.completionsDrained(queuePair));
        }
    }

    private void tell(QueuePairHandler upperLayer, Object event) {
        if (event instanceof Completion completion) {
            if (completionQueue != null) {
                completionQueue.add(queuePair, completion);
            } else {
                upperLayer.completed(queuePair, completion);
            }
        } else if (event instanceof DisconnectReason reason) {
            if (completionQueue != null) {
                completionQueue.detach();
            }
            upperLayer.disconnected(queuePair, reason);
        } else if (event instanceof HalfClose end) {
            end.told().run();
            upperLayer.halfClosed(queuePair);
        } else {
            upperLayer.established(queuePair);
        }
    }

    private void guarded(Runnable call) {
        try {
            call.run();
        } catch (RuntimeException | Error e) {
            bugs.accept(e);
        }
    }
}
