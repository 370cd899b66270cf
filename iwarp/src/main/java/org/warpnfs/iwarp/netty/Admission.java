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
 * Who may connect, so that nobody keeps others out.
 *
 * <h2>Operation</h2>
 *
 * Every connection that was accepted has a place, from its beginning to its end. It is half open until its peer's first
 * FPDU has arrived. Where there are limits, these rules hold for all places and for the half open ones alike:
 *
 * <ul>
 *   <li>A client has no more places than its own limit, and no more than are still free. So one client gets half of
 *       all, two get a third each, and whoever has none finds one.
 *   <li>A newcomer that meets a limit takes the place of another: of the one that was idle for longest, of the client
 *       that has most. Half open places are idle from their beginning. Nobody loses a place to a client that has as
 *       many.
 *   <li>If half open places are all taken, the oldest of the client that has most goes, however young it is.
 * </ul>
 *
 * <h2>Buffers</h2>
 *
 * None.
 *
 * <h2>Errors</h2>
 *
 * Who is not admitted is counted and gets no place. Safe for any thread.
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

    /** The place of one connection. Whether it is idle is said by its own thread and asked by others. */
    final class Place {
        private final ClientAddress client;
        private final Runnable eviction;
        private volatile long usedNanos = clock.getAsLong();
        private volatile boolean idle = true;

        /** Under the lock of all. */
        private boolean halfOpen = true;

        private boolean left;

        private Place(ClientAddress client, Runnable eviction) {
            this.client = client;
            this.eviction = eviction;
        }

        /** Something useful has happened on it. */
        void used() {
            usedNanos = clock.getAsLong();
        }

        /** Whether nothing is under way on it. */
        void idle(boolean nothingUnderWay) {
            if (idle != nothingUnderWay) {
                idle = nothingUnderWay;
            }
        }

        /** Its first FPDU has arrived. */
        void established() {
            synchronized (Admission.this) {
                noLongerHalfOpen(this);
            }
        }

        /** The connection has ended; may come more than once, and after an eviction. */
        void leave() {
            synchronized (Admission.this) {
                vacate(this);
            }
        }
    }

    /**
     * A place for a new connection.
     *
     * @param eviction ends that connection, later, because another gets its place; from any thread
     * @return null if there is none for this client
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
            // Its thread has stopped, and the connection with it.
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
