package org.warpnfs.rpcrdma.server;

import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.ConnectionRequest;
import org.warpnfs.iwarp.verbs.ConnectionRequestHandler;
import org.warpnfs.payload.PayloadPool;
import org.warpnfs.rpcrdma.credit.ByteBudget;
import org.warpnfs.rpcrdma.credit.ReceiveBudget;
import org.warpnfs.rpcrdma.message.InboundHandlerFactory;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;
import org.warpnfs.rpcrdma.wire.PrivateData;

/**
 * Decides who may connect, and keeps the connections.
 *
 * <h2>Operation</h2>
 *
 * A request is accepted while there are fewer connections than the limit and receive buffers are left; a late one gets fewer of
 * them, but always one. Requesters that sent no RFC 8797 block get an inline threshold of 1024 bytes.
 *
 * <h2>Buffers</h2>
 *
 * None of its own.
 *
 * <h2>Errors</h2>
 *
 * A refusal carries no private data: RFC 8797 defines none. Safe for any thread.
 */
public final class RpcRdmaAcceptor implements ConnectionRequestHandler {
    private static final Logger LOG = LoggerFactory.getLogger(RpcRdmaAcceptor.class);

    private final ResponderContext context;
    private final Set<RpcRdmaConnection> connections = ConcurrentHashMap.newKeySet();
    private final AtomicInteger count = new AtomicInteger();
    private volatile boolean draining;

    /** @param pool where sinks for Read chunks come from; its largest payload bounds a call's chunks */
    public RpcRdmaAcceptor(
            ResponderOptions options,
            PayloadPool pool,
            TransportStatistics statistics,
            InboundHandlerFactory handlers) {
        context = new ResponderContext(
                options,
                pool,
                new ReceiveBudget(options.maxReceiveBuffers()),
                new ByteBudget(options.rfc5666().maxExposedBytesInAll()),
                statistics,
                handlers);
    }

    @Override
    public void connectionRequested(ConnectionRequest request) {
        ResponderOptions options = context.options();
        if (count.incrementAndGet() > options.maxConnections() || draining) {
            refuse(request, draining ? "draining" : "there are " + options.maxConnections() + " connections");
            return;
        }
        int buffers = context.receiveBudget().take(options.credits());
        if (buffers == 0) {
            refuse(request, "no receive buffers are left");
            return;
        }
        PrivateData peer = PrivateData.parse(request.privateData()).orElse(PrivateData.ABSENT);
        RpcRdmaConnection connection =
                new RpcRdmaConnection(context, peer, request.remoteAddress(), buffers, this::gone);
        connections.add(connection);
        context.statistics().increment(Counter.CONNECTIONS_ACCEPTED);
        // No inbound Reads, but for RFC 5666: a responder of RFC 8166 exposes no memory.
        int ird = Math.min(options.rfc5666().ird(), request.peerOrd());
        request.accept(new ConnectOptions(options.privateData().encoded(), ird, options.ord()), connection);
        if (draining) {
            connection.drain();
        }
    }

    /** Connections that have not ended. */
    public Set<RpcRdmaConnection> connections() {
        return Set.copyOf(connections);
    }

    /**
     * Ends connections whose peers do not do their part ({@link PeerDeadlines}). To be called every now and then.
     *
     * @param nowNanos of a clock that only goes forward
     */
    public void endStalled(long nowNanos) {
        connections().forEach(connection -> connection.look(nowNanos));
    }

    /** True when no connection is left. */
    public boolean idle() {
        return connections.isEmpty();
    }

    /** Refuses new connections and calls, and lets each connection end when its last call has been answered. */
    public void drain() {
        draining = true;
        connections().forEach(RpcRdmaConnection::drain);
    }

    /** Ends every connection at once. */
    public void abort(String reason) {
        draining = true;
        connections().forEach(connection -> connection.abort(reason));
    }

    private void refuse(ConnectionRequest request, String why) {
        count.decrementAndGet();
        context.statistics().increment(Counter.CONNECTIONS_REFUSED);
        LOG.info("refusing {}: {}", request.remoteAddress(), why);
        request.reject(ByteBuffer.allocate(0));
    }

    private void gone(RpcRdmaConnection connection) {
        connections.remove(connection);
        count.decrementAndGet();
    }
}
