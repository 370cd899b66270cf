package org.warpnfs.iwarp.qp;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.warpnfs.iwarp.mpa.FpduBatch;

/**
 * The batches that were pulled for the socket and not yet reported as sent, oldest first.
 *
 * <h2>Buffers</h2>
 *
 * A batch has scratch memory for its headers until the socket has taken it. Some scratch memory is kept for the next
 * batches. {@link #release} returns all of it to the pool.
 */
final class BatchesInFlight {
    /** The number of scratch buffers kept for later batches. */
    private static final int MAX_KEPT_SCRATCH = 2;

    private record Pulled(FpduBatch batch, List<SendWork> ended, boolean readsMemory, boolean carriesWork) {}

    private final ScratchPool scratch;
    private final List<ByteBuffer> keptScratch = new ArrayList<>();
    private final Queue<Pulled> inFlight = new ArrayDeque<>();
    private int batchesReadingMemory;
    private long pulledBytes;
    private long pulledWorkBytes;

    BatchesInFlight(ScratchPool scratch) {
        this.scratch = scratch;
    }

    boolean isEmpty() {
        return inFlight.isEmpty();
    }

    /** Creates an empty batch. */
    FpduBatch empty() {
        return new FpduBatch(keptScratch.isEmpty() ? scratch.take() : keptScratch.removeLast());
    }

    /** Returns a batch that stayed empty. */
    void giveBack(FpduBatch batch) {
        if (keptScratch.size() < MAX_KEPT_SCRATCH) {
            keptScratch.add(batch.scratch().clear());
        } else {
            scratch.give(batch.scratch());
        }
    }

    /**
     * Adds a filled batch, which goes to the socket.
     *
     * @param ended work whose last byte is in the batch
     * @param readsMemory whether the batch refers to memory that the peer reads
     * @param carriesWork whether the batch carries posted work
     */
    void add(FpduBatch batch, List<SendWork> ended, boolean readsMemory, boolean carriesWork) {
        inFlight.add(new Pulled(batch, ended, readsMemory, carriesWork));
        pulledBytes += batch.lengthBytes();
        pulledWorkBytes += carriesWork ? batch.lengthBytes() : 0;
        batchesReadingMemory += readsMemory ? 1 : 0;
    }

    /** Whether any batch refers to memory that the peer reads. */
    boolean readMemory() {
        return batchesReadingMemory > 0;
    }

    /** Whether a batch that was pulled and not yet reported as sent carries posted work. */
    boolean carriesWork(FpduBatch batch) {
        for (Pulled pulled : inFlight) {
            if (pulled.batch() == batch && pulled.carriesWork()) {
                return true;
            }
        }
        return false;
    }

    /**
     * The number of bytes that the socket has ever taken.
     *
     * @param workOnly whether to count only batches that carry posted work
     * @param unsentBytes bytes of pulled batches that the socket has not taken yet
     */
    long takenBytes(boolean workOnly, long unsentBytes) {
        long heldBytes = 0;
        for (Pulled pulled : inFlight) {
            heldBytes += pulled.carriesWork() || !workOnly ? pulled.batch().lengthBytes() : 0;
        }
        return (workOnly ? pulledWorkBytes : pulledBytes) - Math.min(unsentBytes, heldBytes);
    }

    /**
     * The socket has taken a batch. Batches must be reported in the order in which they were pulled.
     *
     * @return work whose last byte was in the batch
     */
    List<SendWork> sent(FpduBatch batch) {
        Pulled first = inFlight.poll();
        if (first == null || first.batch() != batch) {
            throw new IllegalStateException("a batch was reported as sent out of order");
        }
        giveBack(batch);
        batchesReadingMemory -= first.readsMemory() ? 1 : 0;
        return first.ended();
    }

    /** Forgets batches of startup frames, because there is a new connection. */
    void restart() {
        inFlight.clear();
    }

    /** Releases all batches, because no socket refers to them any more. */
    void release() {
        keptScratch.forEach(scratch::give);
        keptScratch.clear();
        inFlight.forEach(pulled -> scratch.give(pulled.batch().scratch()));
        inFlight.clear();
    }
}
