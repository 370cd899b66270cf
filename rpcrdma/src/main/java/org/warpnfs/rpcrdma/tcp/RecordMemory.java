package org.warpnfs.rpcrdma.tcp;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
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
 * <p>Who is refused waits in line. Clients take turns. The next in line waits for room and is not overtaken; one that
 * waits only because of its own share stands in nobody's way.
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
    static final class Share {
        private long heldBytes;
        private final Deque<Request> waiting = new ArrayDeque<>();
    }

    /** One record that waits for its memory. */
    static final class Request {
        private final Share share;
        private final int lengthBytes;
        private final Runnable granted;

        private Request(Share share, int lengthBytes, Runnable granted) {
            this.share = share;
            this.lengthBytes = lengthBytes;
            this.granted = granted;
        }
    }

    private final long maxBytes;
    private final TransportStatistics statistics;
    private final Deque<Share> turns = new ArrayDeque<>();
    private long usedBytes;
    private boolean headWaitsForRoom;

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
        if (share.waiting.isEmpty() && !headWaitsForRoom && fits(share, lengthBytes)) {
            book(share, lengthBytes);
            return null;
        }
        statistics.increment(Counter.MEMORY_WAITS);
        Request request = new Request(share, lengthBytes, granted);
        if (share.waiting.isEmpty()) {
            turns.add(share);
        }
        share.waiting.add(request);
        headWaitsForRoom |= waitsForRoom(share, lengthBytes);
        return request;
    }

    /** Gives up waiting; false if the memory was taken meanwhile and has to be given back. */
    boolean cancel(Request request) {
        List<Request> granted;
        synchronized (this) {
            if (!request.share.waiting.remove(request)) {
                return false;
            }
            if (request.share.waiting.isEmpty()) {
                turns.remove(request.share);
            }
            // It may have stood at the head of the line.
            granted = grant();
        }
        granted.forEach(next -> next.granted.run());
        return true;
    }

    void give(Share share, int lengthBytes) {
        List<Request> granted;
        synchronized (this) {
            book(share, -lengthBytes);
            if (turns.isEmpty()) {
                return;
            }
            granted = grant();
        }
        granted.forEach(next -> next.granted.run());
    }

    private List<Request> grant() {
        List<Request> granted = new ArrayList<>();
        int before;
        do {
            before = granted.size();
            grantOneEach(granted);
        } while (granted.size() > before && !turns.isEmpty());
        return granted;
    }

    /** Looks at each client that waits, once; one that is served goes to the end of the line. */
    private void grantOneEach(List<Request> granted) {
        headWaitsForRoom = false;
        for (int n = turns.size(); n > 0; n--) {
            Share share = turns.removeFirst();
            Request request = share.waiting.getFirst();
            if (waitsForRoom(share, request.lengthBytes)) {
                turns.addFirst(share);
                headWaitsForRoom = true;
                break;
            }
            if (fits(share, request.lengthBytes)) {
                book(share, request.lengthBytes);
                granted.add(share.waiting.removeFirst());
            }
            if (!share.waiting.isEmpty()) {
                turns.addLast(share);
            }
        }
    }

    /** A client that holds something is stopped by its share before the room ends. */
    private boolean waitsForRoom(Share share, int lengthBytes) {
        return share.heldBytes == 0 && lengthBytes > maxBytes - usedBytes;
    }

    private boolean fits(Share share, int lengthBytes) {
        long freeBytes = maxBytes - usedBytes;
        // Of what will be free then: a record may be large, and a newcomer is to find as much as each of the others
        // has.
        return share.heldBytes == 0
                ? lengthBytes <= freeBytes
                : FairShare.allows(share.heldBytes, lengthBytes, freeBytes - lengthBytes);
    }

    private void book(Share share, int lengthBytes) {
        usedBytes += lengthBytes;
        share.heldBytes += lengthBytes;
        statistics.add(Counter.RECORD_MEMORY_BYTES, lengthBytes);
    }
}
