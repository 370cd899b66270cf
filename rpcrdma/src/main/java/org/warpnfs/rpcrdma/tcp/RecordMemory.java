package org.warpnfs.rpcrdma.tcp;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.warpnfs.limits.FairShare;
import org.warpnfs.limits.MemoryTurns;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;

/**
 * Counts the memory of the records of all connections: records that are still arriving, and calls that programs still
 * read.
 *
 * <h2>Operation</h2>
 *
 * A record takes memory for its whole length before its second piece is stored, and never asks for more. So a record
 * that has begun never waits for one that has not, and there is no deadlock. Clients share the memory by
 * {@link FairShare}. The first record of a client needs only free memory.
 *
 * <p>A record that is refused waits in a queue: {@link MemoryTurns}.
 *
 * <h2>Buffers</h2>
 *
 * Counts bytes and holds no memory.
 *
 * <h2>Errors</h2>
 *
 * None. Safe for any thread. A grant is reported on the thread that gave memory back.
 */
final class RecordMemory {
    /** The memory that the connections of one client address hold, and their waiting requests. */
    static final class Share extends MemoryTurns.Share {
        private long heldBytes;
    }

    /** One record that waits for memory. */
    final class Request extends MemoryTurns.Request {
        private final Share share;
        private final int lengthBytes;

        private Request(Share share, int lengthBytes, Runnable granted) {
            super(share, granted);
            this.share = share;
            this.lengthBytes = lengthBytes;
        }

        /**
         * Whether a client waits for free memory. That holds only for a client without memory, because the share of any
         * other client ends before the free memory does.
         */
        @Override
        protected boolean waitsForRoom() {
            return share.heldBytes == 0 && lengthBytes > maxBytes - usedBytes;
        }

        @Override
        protected boolean fits() {
            long freeBytes = maxBytes - usedBytes;
            // The share of what will be free afterwards. A record may be large, and a new client shall find as much
            // memory as each of the others has.
            return share.heldBytes == 0
                    ? lengthBytes <= freeBytes
                    : FairShare.allows(share.heldBytes, lengthBytes, freeBytes - lengthBytes);
        }

        @Override
        protected void book() {
            RecordMemory.this.book(share, lengthBytes);
        }
    }

    private final long maxBytes;
    private final TransportStatistics statistics;
    private final MemoryTurns turns = new MemoryTurns();
    private long usedBytes;

    RecordMemory(long maxBytes, TransportStatistics statistics) {
        this.maxBytes = maxBytes;
        this.statistics = statistics;
    }

    /**
     * Takes memory for one record, or queues a request for it.
     *
     * @param granted runs once the memory has been taken after a wait
     * @return null if it was taken at once
     */
    synchronized @Nullable Request take(Share share, int lengthBytes, Runnable granted) {
        Request request = new Request(share, lengthBytes, granted);
        if (!share.hasWaiting() && !turns.headWaitsForRoom() && request.fits()) {
            request.book();
            return null;
        }
        statistics.increment(Counter.MEMORY_WAITS);
        turns.add(request);
        if (request.waitsForRoom()) {
            turns.waitForRoom();
        }
        return request;
    }

    /** Cancels a request. Returns false if the memory has been taken meanwhile and must be given back. */
    boolean cancel(Request request) {
        List<MemoryTurns.Request> granted;
        synchronized (this) {
            if (!turns.remove(request)) {
                return false;
            }
            // The request may have been the first in the queue.
            granted = turns.grant();
        }
        MemoryTurns.tell(granted);
        return true;
    }

    void give(Share share, int lengthBytes) {
        List<MemoryTurns.Request> granted;
        synchronized (this) {
            book(share, -lengthBytes);
            if (turns.isEmpty()) {
                return;
            }
            granted = turns.grant();
        }
        MemoryTurns.tell(granted);
    }

    private void book(Share share, int lengthBytes) {
        usedBytes += lengthBytes;
        share.heldBytes += lengthBytes;
        statistics.add(Counter.RECORD_MEMORY_BYTES, lengthBytes);
    }
}
