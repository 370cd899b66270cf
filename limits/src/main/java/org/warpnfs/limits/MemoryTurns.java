package org.warpnfs.limits;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The queue of requests that wait for memory, or for parts of another limit. Clients take turns, each with its oldest
 * request. If the first client in the queue waits for free memory, no other client overtakes it. A request that waits
 * only because of what its own client holds does not hold up others.
 *
 * <p>Guarded by the lock of its owner, except {@link #tell}, which runs without a lock.
 */
public final class MemoryTurns {
    /** The waiting requests of one client. */
    public static class Share {
        /** A client of whom nothing waits. */
        protected Share() {}

        private final Deque<Request> waiting = new ArrayDeque<>();

        /** Requests that come before all others of the client. */
        private final Deque<Request> first = new ArrayDeque<>();

        /** True if a request of the client waits. */
        public final boolean hasWaiting() {
            return !waiting.isEmpty() || !first.isEmpty();
        }

        private Request next() {
            return first.isEmpty() ? waiting.getFirst() : first.getFirst();
        }

        private boolean remove(Request request) {
            return first.remove(request) || waiting.remove(request);
        }
    }

    /** One waiting request. */
    public abstract static class Request {
        private final Share share;
        private final Runnable granted;

        /** @param granted runs once the memory has been taken */
        protected Request(Share share, Runnable granted) {
            this.share = share;
            this.granted = granted;
        }

        /** Whether there is not enough free memory, and the client holds nothing that it could give back. */
        protected abstract boolean waitsForRoom();

        /** Whether it may be granted now. */
        protected abstract boolean fits();

        /** Takes the memory. */
        protected abstract void book();
    }

    private final Deque<Share> turns = new ArrayDeque<>();
    private boolean headWaitsForRoom;

    /** True if nobody waits. */
    public boolean isEmpty() {
        return turns.isEmpty();
    }

    /** Whether the first client in the queue waits for free memory. Then no other takes any. */
    public boolean headWaitsForRoom() {
        return headWaitsForRoom;
    }

    /** Adds a request behind all others of its client. */
    public void add(Request request) {
        takeTurn(request.share);
        request.share.waiting.addLast(request);
    }

    /** Adds a request before all others of its client, except those that were added or moved there earlier. */
    public void addFirst(Request request) {
        takeTurn(request.share);
        request.share.first.addLast(request);
    }

    private void takeTurn(Share share) {
        if (!share.hasWaiting()) {
            turns.add(share);
        }
    }

    /**
     * Moves a request where {@link #addFirst} adds one. The turn of its client does not change. Returns false if it is
     * not in the queue.
     */
    public boolean toFront(Request request) {
        if (!request.share.waiting.remove(request)) {
            return false;
        }
        request.share.first.addLast(request);
        return true;
    }

    /** Records that the first client in the queue waits for free memory, although nothing was granted or given back. */
    public void waitForRoom() {
        headWaitsForRoom = true;
    }

    /**
     * Removes a request. Returns false if it is not in the queue. The caller then calls {@link #grant}, because the
     * request may have held up others.
     */
    public boolean remove(Request request) {
        if (!request.share.remove(request)) {
            return false;
        }
        if (!request.share.hasWaiting()) {
            turns.remove(request.share);
        }
        return true;
    }

    /** Grants and takes memory for all requests that are possible now. */
    public List<Request> grant() {
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
            Request request = share.next();
            if (request.waitsForRoom()) {
                turns.addFirst(share);
                headWaitsForRoom = true;
                break;
            }
            if (request.fits()) {
                request.book();
                granted.add(request);
                share.remove(request);
            }
            if (share.hasWaiting()) {
                turns.addLast(share);
            }
        }
    }

    /** Tells each of them, even if one throws, because the memory is theirs already. */
    public static void tell(List<Request> granted) {
        Each.of(granted, request -> request.granted.run());
    }
}
