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
 * The queue of one connection's calls that wait for a sink.
 *
 * <h2>Operation</h2>
 *
 * Calls get memory in the order of their arrival. A call gets all its memory at once or none, because two calls that
 * each held half of what they need would wait for each other. One connection holds no more than its share, unless a
 * single call is larger. The pool limits the share of the client. One call of a connection at a time waits in the
 * pool's queue, so a connection with many calls gets no more turns than one with few.
 *
 * <h2>Buffers</h2>
 *
 * A sink that was handed out comes back through {@link #release}.
 *
 * <h2>Errors</h2>
 *
 * A lack of memory is not an error: the call waits, and so does its requester. For the owner thread only.
 */
final class MemoryQueue {
    /** A request to the pool. It may be granted on any thread. */
    private final class Request {
        private final RdmaCall call;
        private final Thread asking = Thread.currentThread();
        private boolean asked;
        private @Nullable Payload atOnce;

        /** Set by the owner thread if the pool did not grant the request at once. */
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
                // The owner thread has stopped, after the connection ended.
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

    /** @param client the client whose share of the pool is used */
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

    /** Queues a call that needs at least 1 byte and at most the pool's largest payload. */
    void add(RdmaCall call) {
        waiting.add(call);
        admit();
        if (strained()) {
            statistics.increment(Counter.MEMORY_WAITS);
        }
    }

    /** Takes back the sink of a call, if it had one, and gives memory to the next call. */
    void release(RdmaCall call) {
        Payload sink = call.takeSink();
        if (sink != null) {
            heldBytes -= sink.lengthBytes();
            sink.release();
            admit();
        }
    }

    /** Drops the waiting calls. */
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
                // What this connection itself holds comes back through release().
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
