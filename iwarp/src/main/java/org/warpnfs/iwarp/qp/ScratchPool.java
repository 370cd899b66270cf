package org.warpnfs.iwarp.qp;

import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.atomic.LongAdder;
import org.warpnfs.iwarp.mpa.FpduBatch;

/**
 * Scratch memory for headers, handed from queue pairs that end to those that begin. Direct memory is given back to the
 * system by the garbage collector alone, which knows nothing of it: peers that connect and leave as fast as they can
 * would use it up.
 *
 * <p>Safe for any thread. A queue pair keeps what it has while it lives, so the pool is met twice in a life.
 */
final class ScratchPool {
    /** 16 MiB: two for each of 1024 queue pairs. */
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

    /** Takes back one that nobody refers to any more. */
    void give(ByteBuffer buffer) {
        // Beyond the bound it is left to the garbage collector.
        boolean _ = free.offer(buffer.clear());
    }

    /** Buffers made, ever. */
    long made() {
        return made.sum();
    }
}
