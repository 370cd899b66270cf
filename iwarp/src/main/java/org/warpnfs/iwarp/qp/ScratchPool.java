package org.warpnfs.iwarp.qp;

import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.atomic.LongAdder;
import org.warpnfs.iwarp.mpa.FpduBatch;

/**
 * A pool of scratch memory for headers, passed from queue pairs that end to those that begin. Only the garbage
 * collector returns direct memory to the system, and it does not see how much of it is in use. So peers that connect
 * and disconnect as fast as they can would use up direct memory.
 *
 * <p>Safe for any thread. A queue pair keeps its buffers while it lives, so it rarely uses the pool.
 */
final class ScratchPool {
    /** 16 MiB: two buffers for each of 1024 queue pairs. */
    private static final int MAX_KEPT = 2048;

    private final Queue<ByteBuffer> free = new ArrayBlockingQueue<>(MAX_KEPT);
    private final LongAdder made = new LongAdder();

    /** An empty buffer. */
    ByteBuffer take() {
        ByteBuffer kept = free.poll();
        if (kept != null) {
            return kept;
        }
        made.increment();
        return ByteBuffer.allocateDirect(FpduBatch.SCRATCH_BYTES);
    }

    /** Takes back a buffer that is no longer referenced. */
    void give(ByteBuffer buffer) {
        // A buffer beyond the limit is left to the garbage collector.
        boolean _ = free.offer(buffer.clear());
    }

    /** The number of buffers ever allocated. */
    long made() {
        return made.sum();
    }
}
