package org.warpnfs.iwarp.netty;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.warpnfs.limits.ClientAddress;

/**
 * Decides which connections are admitted, so that no client keeps others out.
 *
 * <h2>Operation</h2>
 *
 * Every accepted connection holds a place until it ends. The place is half open until the peer's first FPDU has
 * arrived. The limits on all places and on half open places follow these rules:
 *
 * <ul>
 *   <li>A client has no more places than its own limit, and no more than are still free. So one client gets half of all
 *       places, two get a third each, and a client without a place finds one.
 *   <li>A newcomer that meets a limit on all places takes over a place that has been idle long enough. Half open places
 *       count as idle from their beginning. Of the clients that may lose one, the client with the most places loses the
 *       one that has been idle for longest. A client never loses a place to another client that has as many.
 *   <li>If all half open places are taken, the client with the most of them loses its oldest, however young that is.
 * </ul>
 *
 * <h2>Buffers</h2>
 *
 * None.
 *
 * <h2>Errors</h2>
 *
 * A connection that is not admitted is counted and gets no place. Safe for any thread.
 */
final class Admission {
    private final int maxConnections;
    private final int maxConnectionsPerAddress;
    private final int maxHalfOpen;
    private final int maxHalfOpenPerAddress;
    private final long minIdleNanos;
    private final LongSupplier clock;
    private final Map<ClientAddress, Client> clients = new HashMap<>();
    private int connections;
    private int halfOpen;
    private long refused;
    private long evicted;
    private long accepted;

    Admission(IwarpConfig limits, LongSupplier clock) {
        this.maxConnections = limits.maxConnections();
        this.maxConnectionsPerAddress = limits.maxConnectionsPerAddress();
        this.maxHalfOpen = limits.maxHalfOpenConnections();
        this.maxHalfOpenPerAddress = limits.maxHalfOpenPerAddress();
        this.minIdleNanos = TimeUnit.MILLISECONDS.toNanos(limits.evictableIdleMillis());
        this.clock = clock;
    }

    private static final class Client {
        private final Set<Place> places = new HashSet<>();
        private int halfOpen;
    }

    /** The place of one connection. The connection's own thread sets whether it is idle, and other threads read it. */
    final class Place {
        private final ClientAddress client;
        private final Runnable eviction;
        private volatile long usedNanos = clock.getAsLong();
        private volatile boolean idle = true;

        /** Guarded by the lock of {@link Admission}. */
        private boolean halfOpen = true;

        private boolean left;

        private Place(ClientAddress client, Runnable eviction) {
            this.client = client;
            this.eviction = eviction;
        }

        /** Records that the connection has been of use. */
        void used() {
            usedNanos = clock.getAsLong();
        }

        /** Sets whether nothing is in progress on the connection. */
        void idle(boolean nothingUnderWay) {
            if (idle != nothingUnderWay) {
                idle = nothingUnderWay;
            }
        }

        /** The connection's first FPDU has arrived. */
        void established() {
            synchronized (Admission.this) {
                noLongerHalfOpen(this);
            }
        }

        /** The connection has ended. May be called more than once, and after an eviction. */
        void leave() {
            synchronized (Admission.this) {
                vacate(this);
            }
        }
    }

    /**
     * A place for a new connection.
     *
     * @param eviction ends that connection later, to give its place to another; runs on any thread
     * @return null if there is no place for this client
     */
    @Nullable
    Place admit(ClientAddress address, Runnable eviction) {
        Place place = new Place(address, eviction);
        Set<Place> victims = new HashSet<>();
        synchronized (this) {
            Client client = clients.computeIfAbsent(address, added -> new Client());
            boolean admitted = makeHalfOpenRoom(client, victims) && makeRoom(client, victims);
            if (admitted) {
                accepted++;
                connections++;
                halfOpen++;
                client.halfOpen++;
                client.places.add(place);
                victims.forEach(this::vacate);
                evicted += victims.size();
            } else {
                refused++;
            }
            if (client.places.isEmpty()) {
                clients.remove(address);
            }
            if (!admitted) {
                return null;
            }
        }
        victims.forEach(Admission::evict);
        return place;
    }

    private static void evict(Place victim) {
        try {
            victim.eviction.run();
        } catch (RejectedExecutionException e) {
            // The event loop of the connection has stopped, which ended the connection.
        }
    }

    private boolean makeHalfOpenRoom(Client newcomer, Set<Place> victims) {
        int free = maxHalfOpen - halfOpen;
        if (newcomer.halfOpen >= maxHalfOpenPerAddress || newcomer.halfOpen > free) {
            return false;
        }
        if (free > 0) {
            return true;
        }
        Place oldest = null;
        int most = newcomer.halfOpen + 1;
        for (Client client : clients.values()) {
            for (Place place : client.places) {
                boolean older = oldest == null || place.usedNanos - oldest.usedNanos < 0;
                if (place.halfOpen && (client.halfOpen > most || (client.halfOpen == most && older))) {
                    oldest = place;
                    most = client.halfOpen;
                }
            }
        }
        return oldest != null && victims.add(oldest);
    }

    private boolean makeRoom(Client newcomer, Set<Place> victims) {
        int free = maxConnections - connections + victims.size();
        int has = newcomer.places.size();
        boolean ownLimit = has >= maxConnectionsPerAddress;
        if (!ownLimit && free > 0 && has <= free) {
            return true;
        }
        long now = clock.getAsLong();
        Place idlest = null;
        int most = 0;
        for (Client client : clients.values()) {
            int size = client.places.size();
            boolean mayLose = client == newcomer || (!ownLimit && size > has);
            if (!mayLose || size < most) {
                continue;
            }
            for (Place place : client.places) {
                boolean idle = place.idle && now - place.usedNanos >= minIdleNanos;
                if (idle && (idlest == null || size > most || place.usedNanos - idlest.usedNanos < 0)) {
                    idlest = place;
                    most = size;
                }
            }
        }
        if (idlest == null) {
            return false;
        }
        victims.add(idlest);
        return true;
    }

    private void noLongerHalfOpen(Place place) {
        if (place.halfOpen) {
            place.halfOpen = false;
            halfOpen--;
            of(place).halfOpen--;
        }
    }

    private void vacate(Place place) {
        if (place.left) {
            return;
        }
        noLongerHalfOpen(place);
        place.left = true;
        connections--;
        Client client = of(place);
        client.places.remove(place);
        if (client.places.isEmpty()) {
            clients.remove(place.client);
        }
    }

    private Client of(Place place) {
        Client client = clients.get(place.client);
        if (client == null) {
            throw new IllegalStateException("no connection of " + place.client + " was admitted");
        }
        return client;
    }

    synchronized int connections() {
        return connections;
    }

    synchronized int halfOpen() {
        return halfOpen;
    }

    synchronized long accepted() {
        return accepted;
    }

    synchronized long refused() {
        return refused;
    }

    synchronized long evicted() {
        return evicted;
    }
}
