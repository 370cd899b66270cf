package org.warpnfs.rpcrdma.tcp;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Requests that wait for memory. Clients take turns, each with its oldest request. The next in line waits for room and
 * is not overtaken; one that waits only because of what its own client has stands in nobody's way.
 *
 * <p>Guarded by the lock of whoever made it, but {@link #tell}, which runs without a lock.
 */
final class MemoryTurns {
    /** What one client waits for. */
    static class Share {
        private final Deque<Request> waiting = new ArrayDeque<>();

        final boolean hasWaiting() {
            return !waiting.isEmpty();
        }
    }

    /** One that waits. */
    abstract static class Request {
        private final Share share;
        private final Runnable granted;

        /** @param granted runs once its memory was taken */
        Request(Share share, Runnable granted) {
            this.share = share;
            this.granted = granted;
        }

        /** Whether there is no room for it, and its client has nothing whose return would help. */
        abstract boolean waitsForRoom();

        abstract boolean fits();

        /** Its memory is taken. */
        abstract void book();
    }

    private final Deque<Share> turns = new ArrayDeque<>();
    private boolean headWaitsForRoom;

    boolean isEmpty() {
        return turns.isEmpty();
    }

    /** Whether the next in line waits for room: then nobody takes any. */
    boolean headWaitsForRoom() {
        return headWaitsForRoom;
    }

    void add(Request request) {
        takeTurn(request.share);
        request.share.waiting.addLast(request);
    }

    /** Before all others of its client. */
    void addFirst(Request request) {
        takeTurn(request.share);
        request.share.waiting.addFirst(request);
    }

    private void takeTurn(Share share) {
        if (share.waiting.isEmpty()) {
            turns.add(share);
        }
    }

    /** Before all others of its client, whose turn does not change; false if it does not wait here. */
    boolean toFront(Request request) {
        if (!request.share.waiting.remove(request)) {
            return false;
        }
        request.share.waiting.addFirst(request);
        return true;
    }

    /** From now on the next in line waits for room, although nothing was granted or given back. */
    void waitForRoom() {
        headWaitsForRoom = true;
    }

    /** False if it does not wait here, or no longer. What it may have kept from others is for {@link #grant}. */
    boolean remove(Request request) {
        if (!request.share.waiting.remove(request)) {
            return false;
        }
        if (request.share.waiting.isEmpty()) {
            turns.remove(request.share);
        }
        return true;
    }

    /** Books what can be granted now. */
    List<Request> grant() {
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
        granted.forEach(request -> request.granted.run());
    }
}
