package org.warpnfs.rpcrdma.server;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.payload.Payload;
import org.warpnfs.payload.PayloadPool;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;

/**
 * The calls of one connection that wait for a sink.
 *
 * <h2>Operation</h2>
 *
 * First come, first served. A call gets all its memory at once or none: two calls that each held half of what they need would
 * wait for each other. One connection holds no more than its share, unless one call alone is larger.
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
    private final QueuePair queuePair;
    private final PayloadPool pool;
    private final long maxHeldBytes;
    private final TransportStatistics statistics;
    private final Consumer<RdmaCall> admitted;
    private final Queue<RdmaCall> waiting = new ArrayDeque<>();
    private long heldBytes;
    private boolean notified;

    MemoryQueue(
            QueuePair queuePair,
            PayloadPool pool,
            long maxHeldBytes,
            TransportStatistics statistics,
            Consumer<RdmaCall> admitted) {
        this.queuePair = queuePair;
        this.pool = pool;
        this.maxHeldBytes = maxHeldBytes;
        this.statistics = statistics;
        this.admitted = admitted;
    }

    /** True while calls wait for memory. */
    boolean strained() {
        return !waiting.isEmpty();
    }

    /** Queues a call that needs between 1 and the pool's largest payload. */
    void add(RdmaCall call) {
        waiting.add(call);
        admit();
        if (!waiting.isEmpty()) {
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
        waiting.clear();
    }

    private void admit() {
        RdmaCall call = waiting.peek();
        while (call != null) {
            Payload sink = tryAcquire(call);
            if (sink == null) {
                return;
            }
            waiting.remove();
            heldBytes += sink.lengthBytes();
            call.setSink(sink);
            admitted.accept(call);
            call = waiting.peek();
        }
    }

    private @Nullable Payload tryAcquire(RdmaCall call) {
        int bytes = Math.toIntExact(call.sinkBytes());
        if (heldBytes > 0 && bytes > maxHeldBytes - heldBytes) {
            // What this connection holds itself comes back through release().
            return null;
        }
        Payload sink = pool.tryAcquire(bytes);
        if (sink == null && !notified) {
            notified = true;
            pool.notifyOnRelease(() -> queuePair.execute(this::released));
            // Something may have been released between the refusal and the registration.
            sink = pool.tryAcquire(bytes);
        }
        return sink;
    }

    private void released() {
        notified = false;
        admit();
        queuePair.flush();
    }
}
