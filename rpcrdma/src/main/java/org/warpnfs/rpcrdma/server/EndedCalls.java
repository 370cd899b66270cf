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
 * Calls that end at about the same time are processed together, so that their replies are sent with one flush.
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
        var _ = takeEach((call, e) -> LOG.atError()
                .addKeyValue("xid", Long.toHexString(call.xid()))
                .log("a call of a connection that is gone could not be ended", e));
    }

    /**
     * @param thrown is given each call that could not be ended
     * @return the first exception
     */
    private @Nullable Throwable takeEach(BiConsumer<RdmaCall, Throwable> thrown) {
        Throwable first = null;
        for (Ended ended = queue.poll(); ended != null; ended = queue.poll()) {
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
        // Cleared first, so that an ending added from now on schedules the next round.
        scheduled.set(false);
        Throwable first = takeEach((_, _) -> {});
        steps.allEnded();
        if (first instanceof RuntimeException unchecked) {
            throw unchecked;
        }
        if (first instanceof Error error) {
            throw error;
        }
    }
}
