package org.warpnfs.rpcrdma.tcp;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.warpnfs.limits.FairShare;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;

/**
 * Memory of the records of all connections: of those that are still coming, and of calls that programs still read.
 *
 * <h2>Operation</h2>
 *
 * A record takes its whole length before its second piece is kept, and never asks for more. So a record that has begun
 * never waits for one that has not, and nothing can deadlock. Clients share the memory by {@link FairShare}. The first
 * record of one needs no more than room.
 *
 * <p>Who is refused waits in line: {@link MemoryTurns}.
 *
 * <h2>Buffers</h2>
 *
 * Counts bytes, holds none.
 *
 * <h2>Errors</h2>
 *
 * None. Safe for any thread; a grant is told on the thread that gave memory back.
 */
final class RecordMemory {
    /** What the connections of one client address hold and wait for. */
    static final class Share extends MemoryTurns.Share {
        private long heldBytes;
    }

    /** One record that waits for its memory. */
    final class Request extends MemoryTurns.Request {
        private final Share share;
        private final int lengthBytes;

        private Request(Share share, int lengthBytes, Runnable granted) {
            super(share, granted);
            this.share = share;
            this.lengthBytes = lengthBytes;
        }

        /** A client that holds something is stopped by its share before the room ends. */
        @Override
        boolean waitsForRoom() {
            return share.heldBytes == 0 && lengthBytes > maxBytes - usedBytes;
        }

        @Override
        boolean fits() {
            long freeBytes = maxBytes - usedBytes;
            // Of what will be free then: a record may be large, and a newcomer is to find as much as each of the others
            // has.
            return share.heldBytes == 0
                    ? lengthBytes <= freeBytes
                    : FairShare.allows(share.heldBytes, lengthBytes, freeBytes - lengthBytes);
        }

        @Override
        void book() {
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
     * Takes memory for one record, or waits for it.
     *
     * @param granted runs once the memory was taken after all
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

    /** Gives up waiting; false if the memory was taken meanwhile and has to be given back. */
    boolean cancel(Request request) {
        List<MemoryTurns.Request> granted;
        synchronized (this) {
            if (!turns.remove(request)) {
                return false;
            }
            // It may have stood at the head of the line.
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
