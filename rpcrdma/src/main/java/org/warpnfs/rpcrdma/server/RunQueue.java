package org.warpnfs.rpcrdma.server;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.limits.Each;
import org.warpnfs.rpcrdma.credit.ClientBudget;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;

/**
 * The complete calls of one connection: those that run and those that wait to run.
 *
 * <h2>Operation</h2>
 *
 * Calls run in the order of their arrival, up to a number at once, so that one requester does not fill the queue of the
 * operation threads. A call runs only if the replies of all running calls, at the largest size that their chunks allow,
 * fit beside the replies that have not been sent. They must fit into the connection's share. The part outside the
 * payload pool must also fit into the budget of the client and of all clients. So a requester that does not take its
 * replies cannot make us hold ever more of them. The connection's share always permits one call if the connection holds
 * no replies.
 *
 * <h2>Buffers</h2>
 *
 * None of its own.
 *
 * <h2>Errors</h2>
 *
 * None. For the owner thread only.
 */
final class RunQueue {
    private final QueuePair queuePair;
    private final ResponderOptions options;
    private final long largestReplyBytes;
    private final ClientBudget budget;
    private final ClientAddress client;
    private final ReplySender replies;
    private final TransportStatistics statistics;
    private final CallSteps steps;
    private final Queue<RdmaCall> waiting = new ArrayDeque<>();
    private int running;
    private long expectedBytes;

    /** The wait of the first waiting call for the budget. */
    private ClientBudget.@Nullable Request request;

    private boolean closed;

    /** @param replies the replies of the connection, whose memory counts until they have been sent */
    RunQueue(
            QueuePair queuePair, ClientAddress client, ResponderContext context, ReplySender replies, CallSteps steps) {
        this.queuePair = queuePair;
        this.options = context.options();
        this.largestReplyBytes = context.pool().maxLengthBytes();
        this.budget = context.replyBytes();
        this.client = client;
        this.replies = replies;
        this.statistics = context.statistics();
        this.steps = steps;
    }

    /** Adds a complete call. */
    void add(RdmaCall call) {
        waiting.add(call);
        runWaiting();
        if (!waiting.isEmpty() && running < options.maxRunning()) {
            statistics.increment(Counter.REPLY_MEMORY_WAITS);
        }
    }

    /** A running call has ended, and its reply, if it has one, is being sent. */
    void ended(RdmaCall call) {
        running--;
        expectedBytes -= expectedBytes(call);
        runWaiting();
    }

    /** The reply of a call that ran has been sent, or there will be none. */
    void replyLeft(RdmaCall call) {
        long bytes = call.reservedReplyBytes();
        call.setReservedReplyBytes(0);
        budget.give(client, bytes);
    }

    /** Runs the waiting calls that may run. To be called when replies have been sent. */
    void runWaiting() {
        for (RdmaCall call = waiting.peek(); call != null && mayRun(call); call = waiting.peek()) {
            waiting.remove();
            running++;
            expectedBytes += expectedBytes(call);
            steps.run(call);
        }
    }

    private boolean mayRun(RdmaCall call) {
        long takenBytes = replies.heldBytes() + expectedBytes;
        return running < options.maxRunning()
                && (takenBytes == 0 || expectedBytes(call) <= options.maxHeldBytes() - takenBytes)
                && reserve(call);
    }

    /** The size of a call's largest possible reply. No program makes one beyond the largest payload. */
    private long expectedBytes(RdmaCall call) {
        return Math.min(call.writeChunkBytes() + call.replyChunkBytes(), largestReplyBytes);
    }

    /**
     * Reserves the memory that the reply may hold outside the pool, which is all that does not go into Write chunks.
     */
    private boolean reserve(RdmaCall call) {
        if (call.reservedReplyBytes() > 0) {
            // It waited for that.
            return true;
        }
        if (request != null) {
            return false;
        }
        long wantedBytes = Math.min(call.replyChunkBytes(), largestReplyBytes) + options.inlineSendBytes();
        long bytes = Math.min(wantedBytes, Math.min(budget.most(), budget.mostOfOneClient()));
        request = budget.takeOrWait(client, bytes, () -> budgetGiven(call, bytes));
        if (request != null) {
            return false;
        }
        call.setReservedReplyBytes(bytes);
        return true;
    }

    /** The memory that a call waited for has been reserved. Called on the thread that gave it back. */
    private void budgetGiven(RdmaCall call, long bytes) {
        try {
            queuePair.execute(() -> {
                request = null;
                if (closed) {
                    budget.give(client, bytes);
                    return;
                }
                call.setReservedReplyBytes(bytes);
                runWaiting();
                queuePair.flush();
            });
        } catch (RejectedExecutionException e) {
            // The owner thread has stopped, after the connection ended.
            budget.give(client, bytes);
        }
    }

    /** Drops the waiting calls. */
    void close() {
        closed = true;
        Each.inOrder(this::cancelRequest, () -> Each.leaving(waiting, this::replyLeft));
    }

    private void cancelRequest() {
        ClientBudget.Request pending = request;
        if (pending != null && budget.cancel(pending)) {
            request = null;
        }
    }
}
