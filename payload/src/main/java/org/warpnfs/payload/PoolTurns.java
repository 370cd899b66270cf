package org.warpnfs.payload;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The queue of clients that wait for memory of a {@link PayloadPool}.
 *
 * <p>Clients take turns, each with its oldest request. A client that is over its share is skipped. If a client within
 * its share has its turn and there is no memory, it gets the next slab: no client behind it takes one before.
 *
 * <p>Guarded by the pool.
 */
final class PoolTurns {
    /** The pool, as this class uses it. */
    interface Lender {
        /** True if the client may hold one more buffer of this class. */
        boolean withinShare(PoolClient client, Slabs.SizeClass sizeClass);

        /** The payload for a request within its client's share; null if there is no memory. */
        @Nullable
        Payload take(PoolRequest request);
    }

    private final Slabs slabs;
    private final Lender lender;

    /** Clients with waiting requests, the next in turn first. */
    private final Deque<PoolClient> turns = new ArrayDeque<>();

    private int requests;

    PoolTurns(Slabs slabs, Lender lender) {
        this.slabs = slabs;
        this.lender = lender;
    }

    boolean nobodyWaits() {
        return turns.isEmpty();
    }

    /** The number of waiting requests. */
    int requests() {
        return requests;
    }

    void enqueue(PoolRequest request) {
        if (request.client.waiting.isEmpty()) {
            turns.addLast(request.client);
        }
        request.client.waiting.addLast(request);
        requests++;
    }

    /** Removes a request that was not granted from the queue. Returns false if it is not there. */
    boolean withdraw(PoolRequest request) {
        PoolClient client = request.client;
        if (request.payload != null || !client.waiting.remove(request)) {
            return false;
        }
        requests--;
        if (client.waiting.isEmpty()) {
            turns.remove(client);
        }
        return true;
    }

    /**
     * Goes round the waiting clients until no more requests can be granted. Returns the granted requests, which the
     * caller runs without the lock.
     */
    List<PoolRequest> grant() {
        List<PoolRequest> met = new ArrayList<>();
        boolean again = true;
        while (again && !turns.isEmpty()) {
            again = false;
            boolean slabsAreSpokenFor = false;
            Deque<PoolClient> later = new ArrayDeque<>();
            for (Iterator<PoolClient> turn = turns.iterator(); turn.hasNext(); ) {
                PoolClient client = turn.next();
                PoolRequest request = client.waiting.getFirst();
                if (!lender.withinShare(client, request.sizeClass)
                        || (slabsAreSpokenFor && !slabs.hasFree(request.sizeClass))) {
                    continue;
                }
                request.payload = lender.take(request);
                if (request.payload == null) {
                    slabsAreSpokenFor |= !slabs.capped(request.sizeClass);
                    continue;
                }
                client.waiting.removeFirst();
                requests--;
                met.add(request);
                turn.remove();
                if (!client.waiting.isEmpty()) {
                    later.addLast(client);
                    again = true;
                }
            }
            turns.addAll(later);
        }
        return met;
    }
}
