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
 * A throw while one call ends does not keep the others: each is ended, then the first throw ends the connection.
 * {@link #ended} is for any thread.
 */
final class EndedCalls implements RdmaCall.Endings {
    private static final Logger LOG = LoggerFactory.getLogger(EndedCalls.class);

    private record Ended(RdmaCall call, @Nullable RpcMessage reply) {}

    private final QueuePair queuePair;
    private final CallSteps steps;
    private final Queue<Ended> queue = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean scheduled = new AtomicBoolean();

    /** @param steps hears of each call, and then that no more is at hand, on the owner thread */
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
     * The owner thread is gone, its connection before it: all that is left is to give things back, one call after the
     * other.
     */
    private synchronized void takeWithoutOwner() {
        scheduled.set(false);
        // The connection is over, and whoever ended its call here has done nothing wrong.
        var _ = takeEach((call, e) -> LOG.atError()
                .addKeyValue("xid", Long.toHexString(call.xid()))
                .log("a call of a connection that is gone could not be ended", e));
    }

    /**
     * @param thrown hears of each call that could not be ended
     * @return what was thrown first
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
        // Cleared first: an ending that is added from here on schedules the next round.
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
