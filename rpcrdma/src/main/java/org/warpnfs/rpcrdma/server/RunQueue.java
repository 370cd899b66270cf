package org.warpnfs.rpcrdma.server;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The complete calls of one connection, some of them handed up.
 *
 * <h2>Operation</h2>
 *
 * First come, first served, up to a number at once, so that one requester does not fill the queue before the operation threads; and
 * none while the connection's replies hold more memory than their share, so that a requester that does not take its replies
 * cannot make us hold more and more of them.
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
    private final Consumer<RdmaCall> run;
    private final Queue<RdmaCall> waiting = new ArrayDeque<>();
    private int running;

    /** @param heldBytes payload memory in replies that have not left yet */
    RunQueue(int maxRunning, long maxHeldBytes, LongSupplier heldBytes, Consumer<RdmaCall> run) {
        this.maxRunning = maxRunning;
        this.maxHeldBytes = maxHeldBytes;
        this.heldBytes = heldBytes;
        this.run = run;
    }

    /** Adds a complete call. */
    void add(RdmaCall call) {
        waiting.add(call);
        runWaiting();
    }

    /** A call that was handed up has ended. */
    void ended() {
        running--;
        runWaiting();
    }

    /** Looks again; to be called when replies have left. */
    void runWaiting() {
        while (running < maxRunning && heldBytes.getAsLong() <= maxHeldBytes) {
            RdmaCall call = waiting.poll();
            if (call == null) {
                return;
            }
            running++;
            run.accept(call);
        }
    }

    /** Forgets the calls that wait. */
    void close() {
        waiting.clear();
    }
}
