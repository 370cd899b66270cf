package org.warpnfs.rpcrdma.server;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.ConnectionRequest;
import org.warpnfs.iwarp.verbs.ConnectionRequestHandler;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.limits.Each;
import org.warpnfs.limits.LineSharers;
import org.warpnfs.limits.LogLimiter;
import org.warpnfs.payload.PayloadPool;
import org.warpnfs.rpcrdma.credit.ClientBudget;
import org.warpnfs.rpcrdma.message.InboundHandlerFactory;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;
import org.warpnfs.rpcrdma.wire.PrivateData;

/**
 * Accepts or refuses connections, and holds the accepted ones.
 *
 * <h2>Operation</h2>
 *
 * A request is accepted while there are fewer connections than the limits ({@link ClientLimits}) and receive buffers
 * are left. If few are left, a connection gets fewer of them, but at least one for calls. At a limit, the connection
 * that has been idle for longest is ended to make room: one of the same client if it is the client's limit, else any.
 * It is ended as in a drain, so that a call that is just arriving costs its requester only another attempt. Requesters
 * without private data of RFC 8797 get an inline threshold of 1024 bytes.
 *
 * <h2>Buffers</h2>
 *
 * None of its own.
 *
 * <h2>Errors</h2>
 *
 * A refusal carries no private data, because RFC 8797 defines none for it. Safe for any thread.
 */
public final class RpcRdmaAcceptor implements ConnectionRequestHandler {
    private static final Logger LOG = LoggerFactory.getLogger(RpcRdmaAcceptor.class);

    private final ResponderContext context;

    /**
     * The connections. The value is true while the connection counts in {@link #places}. It does not after it was ended
     * to make room.
     */
    private final Map<RpcRdmaConnection, Boolean> connections = new ConcurrentHashMap<>();

    private final ClientBudget places;
    private volatile long lookedNanos;
    private volatile boolean draining;

    /** @param pool the source of sinks for Read chunks; its largest payload bounds a call's chunks */
    public RpcRdmaAcceptor(
            ResponderOptions options,
            PayloadPool pool,
            TransportStatistics statistics,
            InboundHandlerFactory handlers) {
        ClientLimits limits = options.clients();
        ClientBudget connectionPlaces = new ClientBudget(limits.maxConnections(), limits.maxConnectionsOfOne());
        places = connectionPlaces;
        ClientBudget receives = ClientBudget.leavingSome(limits.maxReceiveBuffers(), limits.maxReceiveBuffersOfOne());
        context = new ResponderContext(
                options,
                pool,
                new ReceiveSlabs(
                        options.inlineReceiveBytes(),
                        receives,
                        () -> connectionPlaces.left() * options.firstReceives(),
                        statistics),
                ClientBudget.leavingSome(options.rfc5666().maxExposedBytesInAll(), limits.maxExposedBytesOfOne()),
                ClientBudget.leavingSome(limits.maxReplyBytes(), limits.maxReplyBytesOfOne()),
                new LineSharers(),
                new LineSharers(),
                statistics,
                new LogLimiter(),
                new UnfitReplies(),
                handlers);
    }

    @Override
    public void connectionRequested(ConnectionRequest request) {
        ResponderOptions options = context.options();
        ClientAddress client = ClientAddress.of(request.remoteAddress());
        if (draining) {
            refuse(request, client, "draining");
            return;
        }
        if (!takePlace(client)) {
            refuse(request, client, "the limit of connections is reached");
            return;
        }
        int beside = options.receivesBesideCalls();
        List<ByteBuffer> receives = context.receives().take(client, options.firstReceives());
        if (receives.size() <= beside) {
            receives.forEach(buffer -> context.receives().give(client, buffer));
            places.give(client, 1);
            refuse(request, client, "no receive buffers are left");
            return;
        }
        PrivateData peer = PrivateData.parse(request.privateData()).orElse(PrivateData.ABSENT);
        RpcRdmaConnection connection =
                new RpcRdmaConnection(context, peer, request.remoteAddress(), receives, this::gone);
        connections.put(connection, true);
        context.statistics().increment(Counter.CONNECTIONS_ACCEPTED);
        // The IRD is 0, except with an option of RFC 5666, because a responder of RFC 8166 exposes no memory.
        int ird = Math.min(options.rfc5666().ird(), request.peerOrd());
        ConnectOptions accepted = new ConnectOptions(options.privateData().encoded(), ird, options.ord());
        try {
            request.accept(accepted, connection);
        } catch (RuntimeException e) {
            if (connections.containsKey(connection) && !connection.made()) {
                connection.neverMade();
            }
            throw e;
        }
        if (draining) {
            connection.drain();
        }
    }

    private boolean takePlace(ClientAddress client) {
        if (places.tryTake(client, 1)) {
            return true;
        }
        if (places.exhausted(client)) {
            return evict(other -> other.client().equals(client)) && places.tryTake(client, 1);
        }
        return evict(other -> true) && places.tryTake(client, 1);
    }

    /**
     * Ends the connection that has been idle for longest, to make room. Returns false if none has been idle for long
     * enough.
     */
    private boolean evict(Predicate<RpcRdmaConnection> eligible) {
        long now = lookedNanos;
        RpcRdmaConnection longest = null;
        long longestNanos = context.options().deadlines().idleBeforeEviction().toNanos() - 1;
        for (Map.Entry<RpcRdmaConnection, Boolean> entry : connections.entrySet()) {
            RpcRdmaConnection connection = entry.getKey();
            if (entry.getValue() && connection.idle() && eligible.test(connection)) {
                long idleNanos = now - connection.idleSinceNanos();
                if (idleNanos > longestNanos) {
                    longestNanos = idleNanos;
                    longest = connection;
                }
            }
        }
        if (longest == null || !connections.replace(longest, true, false)) {
            return false;
        }
        context.statistics().increment(Counter.CONNECTIONS_EVICTED);
        LOG.debug("{} was idle for longest and is ended to make room for another", longest);
        places.give(longest.client(), 1);
        longest.drain();
        return true;
    }

    /** Connections that have not ended. */
    public Set<RpcRdmaConnection> connections() {
        return Set.copyOf(connections.keySet());
    }

    /**
     * Ends connections whose peers miss their deadlines ({@link PeerDeadlines}). To be called regularly.
     *
     * @param nowNanos a clock that never goes back
     */
    public void endStalled(long nowNanos) {
        lookedNanos = nowNanos;
        Each.of(List.copyOf(connections()), connection -> connection.look(nowNanos));
    }

    /** True when no connection is left. */
    public boolean idle() {
        return connections.isEmpty();
    }

    /**
     * Refuses new connections and calls, and lets each connection end when its last call has been answered. Peers that
     * take nothing are not waited for long ({@link PeerDeadlines#whileDraining}), if {@link #endStalled} is still
     * called.
     */
    public void drain() {
        draining = true;
        Each.of(List.copyOf(connections()), RpcRdmaConnection::drain);
    }

    /** Ends every connection at once. */
    public void abort(String reason) {
        draining = true;
        Each.of(List.copyOf(connections()), connection -> connection.abort(reason));
    }

    private void refuse(ConnectionRequest request, ClientAddress client, String why) {
        context.statistics().increment(Counter.CONNECTIONS_REFUSED);
        context.log().admit(why, client).ifPresent(more -> LOG.atInfo()
                .addKeyValue("fault", "machine")
                .addKeyValue("peer", request.remoteAddress())
                .addKeyValue("cause", why)
                .log("refusing {}: {} ({} more like it)", request.remoteAddress(), why, more));
        request.reject(ByteBuffer.allocate(0));
    }

    private void gone(RpcRdmaConnection connection) {
        Boolean counted = connections.remove(connection);
        if (counted != null && counted) {
            places.give(connection.client(), 1);
        }
    }
}
