package org.warpnfs.rpcrdma.tcp;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The queue of requests that wait for memory. Clients take turns, each with its oldest request. If the first client in
 * the queue waits for free memory, no other client overtakes it. A request that waits only because of what its own
 * client holds does not hold up others.
 *
 * <p>Guarded by the lock of its owner, except {@link #tell}, which runs without a lock.
 */
final class MemoryTurns {
    /** The waiting requests of one client. */
    static class Share {
        private final Deque<Request> waiting = new ArrayDeque<>();

        final boolean hasWaiting() {
            return !waiting.isEmpty();
        }
    }

    /** One waiting request. */
    abstract static class Request {
        private final Share share;
        private final Runnable granted;

        /** @param granted runs once the memory has been taken */
        Request(Share share, Runnable granted) {
            this.share = share;
            this.granted = granted;
        }

        /** Whether there is not enough free memory, and the client holds nothing that it could give back. */
        abstract boolean waitsForRoom();

        abstract boolean fits();

        /** Takes the memory. */
        abstract void book();
    }

    private final Deque<Share> turns = new ArrayDeque<>();
    private boolean headWaitsForRoom;

    boolean isEmpty() {
        return turns.isEmpty();
    }

    /** Whether the first client in the queue waits for free memory. Then no other takes any. */
    boolean headWaitsForRoom() {
        return headWaitsForRoom;
    }

    void add(Request request) {
        takeTurn(request.share);
        request.share.waiting.addLast(request);
    }

    /** Adds a request before all others of its client. */
    void addFirst(Request request) {
        takeTurn(request.share);
        request.share.waiting.addFirst(request);
    }

    private void takeTurn(Share share) {
        if (share.waiting.isEmpty()) {
            turns.add(share);
        }
    }

    /**
     * Moves a request before all others of its client, whose turn does not change. Returns false if it is not in the
     * queue.
     */
    boolean toFront(Request request) {
        if (!request.share.waiting.remove(request)) {
            return false;
        }
        request.share.waiting.addFirst(request);
        return true;
    }

    /** Records that the first client in the queue waits for free memory, although nothing was granted or given back. */
    void waitForRoom() {
        headWaitsForRoom = true;
    }

    /**
     * Removes a request. Returns false if it is not in the queue. The caller then calls {@link #grant}, because the
     * request may have held up others.
     */
    boolean remove(Request request) {
        if (!request.share.waiting.remove(request)) {
            return false;
        }
        if (request.share.waiting.isEmpty()) {
            turns.remove(request.share);
        }
        return true;
    }

    /** Grants and takes memory for all requests that are possible now. */
    List<Request> grant() {
        List<Request> granted = new ArrayList<>();
        int before;
        do {
            before = granted.size();
            grantOneEach(granted);
        } while (granted.size() > before && !turns.isEmpty());
        return granted;
    }

    /** Checks each waiting client once. A client that is served moves to the end of the queue. */
    private void grantOneEach(List<Request> granted) {
        headWaitsForRoom = false;
        for (int n = turns.size(); n > 0; n--) {
            Share share = turns.removeFirst();
            Request request = share.waiting.getFirst();
            if (request.waitsForRoom()) {
                turns.addFirst(share);
                headWaitsForRoom = true;
                break;
            }
            if (request.fits()) {
                request.book();
                granted.add(share.waiting.removeFirst());
            }
            if (!share.waiting.isEmpty()) {
                turns.addLast(share);
            }
        }
    }

    static void tell(List<Request> granted) {
        for (int i = 0; i < granted.size(); i++) {
            granted.get(i).granted.run();
        }
    }
}
