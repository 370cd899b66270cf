package org.warpnfs.rpcrdma.server;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.payload.Payload;
import org.warpnfs.payload.PayloadPool;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;

/**
 * The calls of one connection that wait for a sink.
 *
 * <h2>Operation</h2>
 *
 * First come, first served. A call gets all its memory at once or none: two calls that each held half of what they need
 * would wait for each other. One connection holds no more than its share, unless one call alone is larger; the pool
 * sees to the share of its client. One call at a time stands in the pool's queue, so a connection with many calls gets
 * no more turns than one with few.
 *
 * <h2>Buffers</h2>
 *
 * A sink that was handed out comes back through {@link #release}.
 *
 * <h2>Errors</h2>
 *
 * Running out of memory is none: the call waits, and its requester with it. Owner thread only.
 */
final class MemoryQueue {
    /** A request to the pool. Its grant may come on any thread. */
    private final class Request {
        private final RdmaCall call;
        private final Thread asking = Thread.currentThread();
        private boolean asked;
        private @Nullable Payload atOnce;

        /** Set by the owner thread once the pool has said that it comes later. */
        private PayloadPool.@Nullable Wait wait;

        Request(RdmaCall call) {
            this.call = call;
        }

        private void granted(Payload payload) {
            if (Thread.currentThread() == asking && !asked) {
                atOnce = payload;
                return;
            }
            try {
                queuePair.execute(() -> grantedLater(this, payload));
            } catch (RejectedExecutionException e) {
                // The owner thread is gone, and the connection before it.
                payload.release();
            }
        }
    }

    private final QueuePair queuePair;
    private final PayloadPool pool;
    private final ClientAddress client;
    private final long maxHeldBytes;
    private final TransportStatistics statistics;
    private final CallSteps steps;
    private final Queue<RdmaCall> waiting = new ArrayDeque<>();
    private @Nullable Request request;
    private long heldBytes;
    private boolean closed;

    /** @param client whose share of the pool this is */
    MemoryQueue(QueuePair queuePair, ClientAddress client, ResponderContext context, CallSteps steps) {
        this.queuePair = queuePair;
        this.pool = context.pool();
        this.client = client;
        this.maxHeldBytes = context.options().maxHeldBytes();
        this.statistics = context.statistics();
        this.steps = steps;
    }

    /** True while calls wait for memory. */
    boolean strained() {
        return request != null || !waiting.isEmpty();
    }

    /** Queues a call that needs between 1 and the pool's largest payload. */
    void add(RdmaCall call) {
        waiting.add(call);
        admit();
        if (strained()) {
            statistics.increment(Counter.MEMORY_WAITS);
        }
    }

    /** Takes a sink back, if the call had one, and lets the next call have it. */
    void release(RdmaCall call) {
        Payload sink = call.takeSink();
        if (sink != null) {
            heldBytes -= sink.lengthBytes();
            sink.release();
            admit();
        }
    }

    /** Forgets the calls that wait. */
    void close() {
        closed = true;
        waiting.clear();
        Request pending = request;
        if (pending != null && pending.wait != null && pending.wait.cancel()) {
            request = null;
        }
    }

    private void admit() {
        while (request == null && !closed) {
            RdmaCall call = waiting.peek();
            if (call == null || !withinShare(call)) {
                // What this connection holds itself comes back through release().
                return;
            }
            waiting.remove();
            Payload sink = ask(call);
            if (sink == null) {
                return;
            }
            admit(call, sink);
        }
    }

    private boolean withinShare(RdmaCall call) {
        return heldBytes == 0 || call.sinkBytes() <= maxHeldBytes - heldBytes;
    }

    private @Nullable Payload ask(RdmaCall call) {
        Request made = new Request(call);
        PayloadPool.Wait wait = pool.acquire(client, Math.toIntExact(call.sinkBytes()), made::granted);
        made.asked = true;
        if (made.atOnce == null) {
            made.wait = wait;
            request = made;
        }
        return made.atOnce;
    }

    private void grantedLater(Request granted, Payload sink) {
        request = null;
        if (closed) {
            sink.release();
            return;
        }
        admit(granted.call, sink);
        admit();
        queuePair.flush();
    }

    private void admit(RdmaCall call, Payload sink) {
        heldBytes += sink.lengthBytes();
        call.setSink(sink);
        steps.sinkGiven(call);
    }
}
