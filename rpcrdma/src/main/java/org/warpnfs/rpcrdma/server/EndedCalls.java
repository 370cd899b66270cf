package org.warpnfs.rpcrdma.server;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.rpcrdma.message.RpcMessage;

/**
 * Calls that ended on some thread, on their way back to the owner thread of their connection.
 *
 * <h2>Operation</h2>
 *
 * Those that end while others are still on their way are taken together, so that their replies leave with one flush.
 *
 * <h2>Buffers</h2>
 *
 * Holds a reply until the owner thread takes it.
 *
 * <h2>Errors</h2>
 *
 * None. {@link #ended} is for any thread.
 */
final class EndedCalls implements RdmaCall.Endings {
    private record Ended(RdmaCall call, @Nullable RpcMessage reply) {}

    private final QueuePair queuePair;
    private final RdmaCall.Endings each;
    private final Runnable after;
    private final Queue<Ended> queue = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean scheduled = new AtomicBoolean();

    /**
     * @param each hears of each call on the owner thread
     * @param after runs there when no more is at hand
     */
    EndedCalls(QueuePair queuePair, RdmaCall.Endings each, Runnable after) {
        this.queuePair = queuePair;
        this.each = each;
        this.after = after;
    }

    @Override
    public void ended(RdmaCall call, @Nullable RpcMessage reply) {
        queue.add(new Ended(call, reply));
        if (scheduled.compareAndSet(false, true)) {
            try {
                queuePair.execute(this::take);
            } catch (RejectedExecutionException e) {
                takeWithoutOwner();
            }
        }
    }

    /** The owner thread is gone, its connection before it: all that is left is to give things back, one call after the other. */
    private synchronized void takeWithoutOwner() {
        scheduled.set(false);
        takeEach();
    }

    private void takeEach() {
        for (Ended ended = queue.poll(); ended != null; ended = queue.poll()) {
            each.ended(ended.call, ended.reply);
        }
    }

    private void take() {
        // Cleared first: an ending that is added from here on schedules the next round.
        scheduled.set(false);
        takeEach();
        after.run();
    }
}
