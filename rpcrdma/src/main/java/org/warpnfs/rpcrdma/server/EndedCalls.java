package org.warpnfs.rpcrdma.server;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.rpcrdma.message.RpcMessage;

/**
 * Brings calls that ended on any thread back to the owner thread of their connection.
 *
 * <h2>Operation</h2>
 *
 * Calls that end at about the same time are processed together, so that their replies are sent with one flush. The end
 * of one call may start others, which end at once if they run on the event loop. So one round ends a limited number,
 * and the next round the rest.
 *
 * <h2>Buffers</h2>
 *
 * Holds a reply until the owner thread takes it.
 *
 * <h2>Errors</h2>
 *
 * An exception at the end of one call does not affect the others. Each is ended, then the first exception ends the
 * connection. {@link #ended} is for any thread.
 */
final class EndedCalls implements RdmaCall.Endings {
    private static final Logger LOG = LoggerFactory.getLogger(EndedCalls.class);

    private record Ended(RdmaCall call, @Nullable RpcMessage reply) {}

    /** So many calls of 64 KiB each take about a millisecond. */
    static final int MAX_IN_ROUND = 32;

    private final QueuePair queuePair;
    private final CallSteps steps;
    private final Queue<Ended> queue = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean scheduled = new AtomicBoolean();

    /** @param steps is told of each call, and then that all have been reported, on the owner thread */
    EndedCalls(QueuePair queuePair, CallSteps steps) {
        this.queuePair = queuePair;
        this.steps = steps;
    }

    @Override
    public void ended(RdmaCall call, @Nullable RpcMessage reply) {
        queue.add(new Ended(call, reply));
        schedule();
    }

    private void schedule() {
        if (scheduled.compareAndSet(false, true)) {
            try {
                queuePair.execute(this::take);
            } catch (RejectedExecutionException e) {
                takeWithoutOwner();
            }
        }
    }

    /**
     * Ends the remaining calls one after the other without the owner thread, which has stopped after the connection
     * ended. All that is left is to give back what they hold.
     */
    private synchronized void takeWithoutOwner() {
        scheduled.set(false);
        // The exception does not go to the caller, who only ended a call. The connection has ended already.
        var _ = takeEach(Integer.MAX_VALUE, (call, e) -> LOG.atError()
                .addKeyValue("xid", Long.toHexString(call.xid()))
                .log("a call of a connection that is gone could not be ended", e));
    }

    /**
     * @param most the most calls to end
     * @param thrown is given each call that could not be ended
     * @return the first exception
     */
    private @Nullable Throwable takeEach(int most, BiConsumer<RdmaCall, Throwable> thrown) {
        Throwable first = null;
        for (int i = 0; i < most; i++) {
            Ended ended = queue.poll();
            if (ended == null) {
                break;
            }
            try {
                steps.ended(ended.call, ended.reply);
            } catch (RuntimeException | Error e) {
                thrown.accept(ended.call, e);
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        return first;
    }

    private void take() {
        Throwable first = takeEach(MAX_IN_ROUND, (_, _) -> {});
        try {
            steps.allEnded();
        } finally {
            // Cleared before the queue is looked at, so that an ending added from now on schedules the next round.
            scheduled.set(false);
            if (!queue.isEmpty()) {
                schedule();
            }
        }
        if (first instanceof RuntimeException unchecked) {
            throw unchecked;
        }
        if (first instanceof Error error) {
            throw error;
        }
    }
}
