package org.warpnfs.rpcrdma.tcp;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;

/**
 * The connections of one listener, by client.
 *
 * <h2>Operation</h2>
 *
 * If a limit is reached, a new connection takes the place of another one. That one is closed and no longer counted from
 * then on.
 *
 * <pre>
 * limit reached     whose place is taken
 * of the client     its longest idle connection; if it has none, the newcomer is refused
 * of all            the longest idle connection of the client that has most, of those that have an idle one and have
 *                   no fewer connections than the newcomer's client would have;
 *                   if there is none and the client with most has more than twice as many as the newcomer's would
 *                   have, one of its:
 *                   the one that has waited for its peer for longest, else the one that has been busy for longest;
 *                   else the newcomer is refused
 * </pre>
 *
 * So an attacker who fills all places with busy connections from a few addresses neither keeps another address out nor
 * replaces its idle connections.
 *
 * <h2>Errors</h2>
 *
 * None. Safe for any thread.
 */
final class ConnectionTable {
    /** One client and its connections. Guarded by the table. */
    private static final class Client {
        private final ClientAccount account;
        private final Set<TcpConnection> connections = new LinkedHashSet<>();
        private int places;

        Client(ClientAccount account) {
            this.account = account;
        }
    }

    private final TcpOptions options;
    private final TransportStatistics statistics;
    private final ReplyMemory replies;
    private final Map<ClientAddress, Client> clients = new HashMap<>();
    private int places;
    private boolean draining;

    ConnectionTable(ListenerContext context) {
        this.options = context.options();
        this.statistics = context.statistics();
        this.replies = context.replies();
    }

    /**
     * Takes a place for a new connection.
     *
     * @return null if the connection is refused; otherwise {@link #joined} and {@link #left} follow
     */
    @Nullable
    ClientAccount admit(ClientAddress address) {
        TcpConnection victim = null;
        ClientAccount account;
        synchronized (this) {
            Client known = clients.get(address);
            int has = known == null ? 0 : known.places;
            if (known != null && has >= options.maxConnectionsPerClient()) {
                victim = longest(known, Occupation.IDLE);
                if (victim == null) {
                    statistics.increment(Counter.CONNECTIONS_REFUSED_BY_CLIENT);
                    return null;
                }
            } else if (places >= options.maxConnections()) {
                victim = dispensable(known, has);
                if (victim == null) {
                    statistics.increment(Counter.CONNECTIONS_REFUSED);
                    return null;
                }
            }
            if (victim != null) {
                leave(victim);
            }
            Client client =
                    clients.computeIfAbsent(address, key -> new Client(new ClientAccount(key, options, replies)));
            client.places++;
            places++;
            account = client.account;
        }
        if (victim != null) {
            evict(victim);
        }
        return account;
    }

    /** Closes an idle connection of the client that has most, if there is one, because descriptors have run out. */
    void evictIdle() {
        TcpConnection victim;
        synchronized (this) {
            Client client = most(any -> longest(any, Occupation.IDLE) != null);
            victim = client == null ? null : longest(client, Occupation.IDLE);
            if (victim == null) {
                return;
            }
            leave(victim);
        }
        evict(victim);
    }

    private void evict(TcpConnection victim) {
        statistics.increment(Counter.CONNECTIONS_EVICTED);
        victim.abort("another connection needs its place");
    }

    /** Adds the connection for which a place was taken. */
    synchronized void joined(TcpConnection connection) {
        Client client = clients.get(connection.account().address());
        if (client != null) {
            client.connections.add(connection);
        }
        if (draining) {
            connection.drain();
        }
    }

    /** Drains every connection, including those that were accepted and will join later. */
    synchronized void drain() {
        draining = true;
        connections().forEach(TcpConnection::drain);
    }

    /** Frees the place of a connection that was never established. */
    synchronized void gaveUp(ClientAccount account) {
        Client client = clients.get(account.address());
        if (client != null) {
            free(client);
        }
    }

    /** The connection has ended. */
    synchronized void left(TcpConnection connection) {
        leave(connection);
    }

    private void leave(TcpConnection connection) {
        Client client = clients.get(connection.account().address());
        if (client != null && client.connections.remove(connection)) {
            free(client);
        }
    }

    private void free(Client client) {
        client.places--;
        places--;
        forgetIfIdle(client);
    }

    /**
     * Removes clients that have neither connections nor calls. Calls may outlive their connection, so that a client
     * that comes back finds them counted.
     */
    synchronized void forgetIdle() {
        new ArrayList<>(clients.values()).forEach(this::forgetIfIdle);
    }

    private void forgetIfIdle(Client client) {
        if (client.places == 0 && client.account.callsInFlight() == 0) {
            clients.remove(client.account.address());
        }
    }

    /** The number of stored clients. */
    synchronized int clientCount() {
        return clients.size();
    }

    private @Nullable TcpConnection dispensable(@Nullable Client newcomer, int newcomerHas) {
        Client idle = most(client ->
                (client.places > newcomerHas || client == newcomer) && longest(client, Occupation.IDLE) != null);
        if (idle != null) {
            return longest(idle, Occupation.IDLE);
        }
        Client client = most(any -> !any.connections.isEmpty());
        if (client == null || client.places <= 2 * (newcomerHas + 1)) {
            return null;
        }
        TcpConnection waiting = longest(client, Occupation.WAITS_FOR_PEER);
        return waiting != null ? waiting : longest(client, Occupation.BUSY);
    }

    private @Nullable Client most(Predicate<Client> which) {
        Client most = null;
        for (Client client : clients.values()) {
            if ((most == null || client.places > most.places) && which.test(client)) {
                most = client;
            }
        }
        return most;
    }

    private static @Nullable TcpConnection longest(Client client, Occupation occupation) {
        TcpConnection longest = null;
        long longestSince = 0;
        for (TcpConnection connection : client.connections) {
            Occupation.Since since = connection.occupation();
            if (since.occupation() == occupation && (longest == null || since.sinceNanos() - longestSince < 0)) {
                longest = connection;
                longestSince = since.sinceNanos();
            }
        }
        return longest;
    }

    /** The number of open connections. */
    synchronized int size() {
        return places;
    }

    /** All open connections. */
    synchronized Collection<TcpConnection> connections() {
        List<TcpConnection> all = new ArrayList<>(places);
        clients.values().forEach(client -> all.addAll(client.connections));
        return all;
    }
}
