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
 * The pending calls to the upper layer, in order.
 *
 * <h2>Operation</h2>
 *
 * Events are queued as they happen and delivered at the end of the machine's current call. So the upper layer may post,
 * flush or abort from within a call, and is never called while it calls.
 *
 * <h2>Buffers</h2>
 *
 * Refers to the buffers of completions that have not been delivered yet.
 *
 * <h2>Errors</h2>
 *
 * An exception of the upper layer goes to the caller of {@link #deliver}, who ends the connection. The remaining events
 * are still delivered.
 */
final class Upcalls {
    private final Queue<Object> events = new ArrayDeque<>();

    /**
     * The end of the connection, until it is delivered. It follows all other events, also those that their delivery
     * leads to.
     */
    private @Nullable DisconnectReason end;

    private @Nullable Listener listener;
    private @Nullable LocalCompletionQueue completionQueue;

    /** Events other than completions and the end. */
    private enum Notice {
        ESTABLISHED
    }

    /** The end of the peer's direction, with an action to run when it is delivered. */
    private record HalfClose(Runnable told) {}

    /** The upper layer, and its view of the queue pair. */
    private record Listener(QueuePairHandler handler, QueuePair queuePair) {}

    /** Sets the upper layer. As long as there is none, nothing can have been posted either. */
    void tellTo(QueuePairHandler handler, QueuePair queuePair) {
        listener = new Listener(handler, queuePair);
    }

    /** Sends completions to a queue from now on. */
    void completeTo(LocalCompletionQueue queue) {
        completionQueue = queue;
        queue.attach();
    }

    /** Reserves an entry for a future completion, if completions go to a queue. Returns false if the queue is full. */
    boolean tryReserve() {
        return completionQueue == null || completionQueue.tryReserve();
    }

    /**
     * Reserves an entry for a future completion, if completions go to a queue.
     *
     * @throws org.warpnfs.iwarp.verbs.LimitReachedException if the queue is full
     */
    void reserve() {
        if (completionQueue != null) {
            completionQueue.reserve();
        }
    }

    /** Releases an entry that was reserved and is not needed. */
    void cancel() {
        if (completionQueue != null) {
            completionQueue.cancel();
        }
    }

    void established() {
        events.add(Notice.ESTABLISHED);
    }

    /** @param told runs right before the event is delivered */
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

    /** Whether no completion of work is pending. */
    boolean workTold() {
        return events.stream().noneMatch(event -> event instanceof Completion completion && !isReceive(completion));
    }

    private static boolean isReceive(Completion completion) {
        return completion instanceof Completion.Received || completion instanceof Completion.ReceivedImmediate;
    }

    /**
     * Whether the upper layer has been told everything and has nothing in progress. Any exception that it throws counts
     * as busy.
     *
     * @param bugs is given what the upper layer throws
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
     * Delivers all pending events.
     *
     * @param bugs is given what the upper layer throws
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
