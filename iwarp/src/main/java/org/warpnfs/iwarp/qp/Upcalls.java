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
 * Noted as it happens, told when the machine is done with what it was called for: so the upper layer is free to post,
 * flush or abort from within a call, and is never called while it calls.
 *
 * <h2>Buffers</h2>
 *
 * Refers to those of completions not told yet.
 *
 * <h2>Errors</h2>
 *
 * What the upper layer throws goes to whoever tells it, who ends the connection; the rest is told all the same.
 */
final class Upcalls {
    private final Queue<Object> events = new ArrayDeque<>();

    /** The end, until it is told: behind all other events, also those that telling them leads to. */
    private @Nullable DisconnectReason end;

    private @Nullable Listener listener;
    private @Nullable LocalCompletionQueue completionQueue;

    /** Told besides completions and the end. */
    private enum Notice {
        ESTABLISHED
    }

    /** The peer's end, and who hears when it is told. */
    private record HalfClose(Runnable told) {}

    /** The upper layer, and what it knows the connection by. */
    private record Listener(QueuePairHandler handler, QueuePair queuePair) {}

    /** Who hears it. Until somebody does, nobody has posted anything either. */
    void tellTo(QueuePairHandler handler, QueuePair queuePair) {
        listener = new Listener(handler, queuePair);
    }

    /** Completions go there from now on. */
    void completeTo(LocalCompletionQueue queue) {
        completionQueue = queue;
        queue.attach();
    }

    /** Keeps a place for a completion to come, if they go to a queue; false if that is full. */
    boolean tryReserve() {
        return completionQueue == null || completionQueue.tryReserve();
    }

    /**
     * Keeps a place for a completion to come.
     *
     * @throws org.warpnfs.iwarp.verbs.LimitReachedException if they go to a queue and that is full
     */
    void reserve() {
        if (completionQueue != null) {
            completionQueue.reserve();
        }
    }

    /** Gives a place back that was kept for nothing. */
    void cancel() {
        if (completionQueue != null) {
            completionQueue.cancel();
        }
    }

    void established() {
        events.add(Notice.ESTABLISHED);
    }

    /** @param told runs right before it is told */
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

    /**
     * Whether the upper layer has heard all and has nothing under way; one that cannot say it has.
     *
     * @param bugs takes what the upper layer throws
     */
    boolean upperLayerIdle(Consumer<Throwable> bugs) {
        Listener upperLayer = listener;
        if (!isEmpty() || upperLayer == null) {
            return false;
        }
        boolean[] idle = new boolean[1];
        guarded(() -> idle[0] = upperLayer.handler().idle(upperLayer.queuePair()), bugs);
        return idle[0];
    }

    /**
     * Tells all there is to tell.
     *
     * @param bugs takes what the upper layer throws
     */
    void deliver(Consumer<Throwable> bugs) {
        Listener upperLayer = listener;
        if (upperLayer == null) {
            events.clear();
            end = null;
            return;
        }
        boolean completions = false;
        for (Object event = poll(); event != null; event = poll()) {
            completions |= event instanceof Completion && completionQueue == null;
            Object told = event;
            guarded(() -> tell(upperLayer, told), bugs);
        }
        if (completions) {
            guarded(() -> upperLayer.handler().completionsDrained(upperLayer.queuePair()), bugs);
        }
    }

    private void tell(Listener upperLayer, Object event) {
        QueuePairHandler handler = upperLayer.handler();
        QueuePair queuePair = upperLayer.queuePair();
        if (event instanceof Completion completion) {
            if (completionQueue != null) {
                completionQueue.add(queuePair, completion);
            } else {
                handler.completed(queuePair, completion);
            }
        } else if (event instanceof DisconnectReason reason) {
            if (completionQueue != null) {
                completionQueue.detach();
            }
            handler.disconnected(queuePair, reason);
        } else if (event instanceof HalfClose end) {
            end.told().run();
            handler.halfClosed(queuePair);
        } else {
            handler.established(queuePair);
        }
    }

    private static void guarded(Runnable call, Consumer<Throwable> bugs) {
        try {
            call.run();
        } catch (RuntimeException | Error e) {
            bugs.accept(e);
        }
    }
}
