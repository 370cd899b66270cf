package org.warpnfs.rpcrdma.server;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;

/**
 * The complete calls of one connection, some of them handed up.
 *
 * <h2>Operation</h2>
 *
 * First come, first served, up to a number at once, so that one requester does not fill the queue before the operation threads; and
 * only while the replies of the calls that run, as large as their chunks allow, fit into the connection's share of memory beside the replies that have
 * not left. So a requester that does not take its replies cannot make us hold more and more of them. One call always runs if nothing is
 * held.
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
    private final int maxRunning;
    private final long maxHeldBytes;
    private final LongSupplier heldBytes;
    private final TransportStatistics statistics;
    private final Consumer<RdmaCall> run;
    private final Queue<RdmaCall> waiting = new ArrayDeque<>();
    private int running;
    private long expectedBytes;

    /** @param heldBytes memory in replies that have not left yet */
    RunQueue(
            int maxRunning,
            long maxHeldBytes,
            LongSupplier heldBytes,
            TransportStatistics statistics,
            Consumer<RdmaCall> run) {
        this.maxRunning = maxRunning;
        this.maxHeldBytes = maxHeldBytes;
        this.heldBytes = heldBytes;
        this.statistics = statistics;
        this.run = run;
    }

    /** Adds a complete call. */
    void add(RdmaCall call) {
        waiting.add(call);
        runWaiting();
        if (!waiting.isEmpty() && running < maxRunning) {
            statistics.increment(Counter.REPLY_MEMORY_WAITS);
        }
    }

    /** A call that was handed up has ended, and its reply, if it has one, is on its way. */
    void ended(RdmaCall call) {
        running--;
        expectedBytes -= call.largestReplyBytes();
        runWaiting();
    }

    /** Looks again; to be called when replies have left. */
    void runWaiting() {
        for (RdmaCall call = waiting.peek(); call != null && mayRun(call); call = waiting.peek()) {
            waiting.remove();
            running++;
            expectedBytes += call.largestReplyBytes();
            run.accept(call);
        }
    }

    private boolean mayRun(RdmaCall call) {
        long takenBytes = heldBytes.getAsLong() + expectedBytes;
        return running < maxRunning && (takenBytes == 0 || call.largestReplyBytes() <= maxHeldBytes - takenBytes);
    }

    /** Forgets the calls that wait. */
    void close() {
        waiting.clear();
    }
}
