package org.warpnfs.rpcrdma.server;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.rpcrdma.credit.ClientBudget;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;

/**
 * The complete calls of one connection, some of them handed up.
 *
 * <h2>Operation</h2>
 *
 * First come, first served, up to a number at once, so that one requester does not fill the queue before the operation
 * threads; and only while the replies of those that run, as large as their chunks allow, fit beside the replies that
 * have not left: into the connection's share, and with what lies outside the payload pool into the budget of the client
 * and of all. So a requester that does not take its replies cannot make us hold more and more of them. One call may
 * always run if its connection holds nothing.
 *
 * <h2>Buffers</h2>
 *
 * None of its own.
 *
 * <h2>Errors</h2>
 *
 * None. Owner thread only.
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
    private boolean waitsForBudget;

    /** @param replies of the connection, whose memory counts until they have left */
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

    /** A call that was handed up has ended, and its reply, if it has one, is on its way. */
    void ended(RdmaCall call) {
        running--;
        expectedBytes -= expectedBytes(call);
        runWaiting();
    }

    /** The reply of a call that was handed up has left, or there will be none. */
    void replyLeft(RdmaCall call) {
        long bytes = call.reservedReplyBytes();
        call.setReservedReplyBytes(0);
        budget.give(client, bytes);
    }

    /** Looks again; to be called when replies have left. */
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

    /** The largest reply of a call; no program makes one beyond the largest payload. */
    private long expectedBytes(RdmaCall call) {
        return Math.min(call.writeChunkBytes() + call.replyChunkBytes(), largestReplyBytes);
    }

    /** Takes what the reply may hold outside the pool: what does not go into Write chunks. */
    private boolean reserve(RdmaCall call) {
        long wantedBytes = Math.min(call.replyChunkBytes(), largestReplyBytes) + options.inlineSendBytes();
        long bytes = Math.min(wantedBytes, Math.min(budget.most(), budget.mostOfOneClient()));
        boolean reserved = budget.tryTake(client, bytes);
        if (!reserved && !waitsForBudget) {
            waitsForBudget = true;
            budget.onGive(this::budgetGiven);
            // Something may have been given between the refusal and the registration.
            reserved = budget.tryTake(client, bytes);
        }
        if (reserved) {
            call.setReservedReplyBytes(bytes);
        }
        return reserved;
    }

    private void budgetGiven() {
        try {
            queuePair.execute(() -> {
                waitsForBudget = false;
                runWaiting();
                queuePair.flush();
            });
        } catch (RejectedExecutionException e) {
            // The owner thread is gone, and the connection before it.
            return;
        }
    }

    /** Forgets the calls that wait. */
    void close() {
        waiting.clear();
    }
}
