package org.warpnfs.rpcrdma.server;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.DisconnectReason;
import org.warpnfs.iwarp.verbs.LimitReachedException;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.iwarp.verbs.QueuePairHandler;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.limits.Each;
import org.warpnfs.rpcrdma.credit.CreditLedger;
import org.warpnfs.rpcrdma.message.ConfigurationAnswer;
import org.warpnfs.rpcrdma.message.ConfigurationRequest;
import org.warpnfs.rpcrdma.message.RpcConnection;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.server.ReplySender.Leaving;
import org.warpnfs.rpcrdma.server.ReplySender.Outgoing;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;
import org.warpnfs.rpcrdma.wire.PrivateData;
import org.warpnfs.rpcrdma.wire.RpcRdmaHeader;

/**
 * The responder's end of one RDMA connection.
 *
 * <h2>Operation</h2>
 *
 * {@link MessageReceiver} distinguishes the messages that arrive, and {@link CallLife} processes those that are calls.
 * This class creates the parts and manages the beginning and the end of the connection.
 *
 * <h2>Buffers</h2>
 *
 * None of its own.
 *
 * <h2>Errors</h2>
 *
 * However the connection ends, {@link #disconnected} is called once and gives everything back.
 *
 * <p>All methods except {@link #abort}, {@link #sendBackwardCall}, the addresses and {@link #open} are for the owner
 * thread.
 */
public final class RpcRdmaConnection implements QueuePairHandler, RpcConnection {
    private static final Logger LOG = LoggerFactory.getLogger(RpcRdmaConnection.class);

    private final ResponderContext context;
    private final TransportStatistics statistics;
    private final PrivateData peer;
    private final InetSocketAddress remoteAddress;
    private final ClientAddress client;
    private final List<ByteBuffer> firstReceives;
    private final Consumer<RpcRdmaConnection> gone;
    private volatile @Nullable ConnectionParts parts;
    private volatile @Nullable ConnectionWatch watch;
    private volatile boolean open;
    private volatile @Nullable InetSocketAddress localAddress;
    private volatile boolean draining;

    /**
     * @param peer the private data of the requester
     * @param firstReceives receive buffers of the context's slabs, at least one more than
     *     {@link ResponderOptions#receivesBesideCalls}
     * @param gone is called once when the connection has ended
     */
    RpcRdmaConnection(
            ResponderContext context,
            PrivateData peer,
            InetSocketAddress remoteAddress,
            List<ByteBuffer> firstReceives,
            Consumer<RpcRdmaConnection> gone) {
        this.context = context;
        this.statistics = context.statistics();
        this.peer = peer;
        this.remoteAddress = remoteAddress;
        this.client = ClientAddress.of(remoteAddress);
        this.firstReceives = firstReceives;
        this.gone = gone;
    }

    // Life of the connection

    @Override
    public void created(QueuePair queuePair) {
        ResponderOptions options = context.options();
        ReceiveBuffers receives;
        try {
            receives = new ReceiveBuffers(queuePair, context.receives(), client, firstReceives);
        } catch (LimitReachedException e) {
            // The transport's own limit is reached. Without receives nothing can be received.
            statistics.increment(Counter.CONNECTIONS_REFUSED);
            queuePair.abort("no receives are left: " + e.getMessage());
            return;
        }
        ReplySender sender = new ReplySender(queuePair, options.maxPostedWork(), statistics);
        CreditLedger credits = new CreditLedger(
                firstReceives.size() - options.receivesBesideCalls(),
                options.maxCredits(),
                options.rfc5666().doneBuffers());
        ExposedReplies exposed =
                new ExposedReplies(queuePair, options.rfc5666(), context.exposedBytes(), client, statistics);
        CallLife calls = new CallLife(
                this, client, context, peer, new CallLife.Line(queuePair, receives, credits, sender, exposed));
        BackwardChannel backward = new BackwardChannel(
                options.maxBackwardCalls(),
                options.deadlines().backwardReply(),
                (header, message) -> sendBackward(sender, header, message));
        MessageReceiver messages = new MessageReceiver(this, context, receives, calls, backward, exposed);
        ConnectionParts made =
                new ConnectionParts(queuePair, credits, receives, sender, exposed, calls, messages, backward);
        parts = made;
        watch = new ConnectionWatch(this, client, context, made);
    }

    @Override
    public void established(QueuePair queuePair) {
        localAddress = queuePair.parameters().localAddress();
        open = true;
        statistics.increment(Counter.CONNECTIONS_OPEN);
        CallLife calls = parts().calls();
        calls.opened(context.handlers().opened(this));
        LOG.debug(
                "{} connected, inline threshold {} bytes, ORD {}",
                remoteAddress,
                calls.answerer().inlineLimitBytes(),
                queuePair.parameters().ord());
        if (draining) {
            // The connection could not be ended while it was being created.
            calls.drain();
        }
    }

    @Override
    public void disconnected(QueuePair queuePair, DisconnectReason reason) {
        LOG.debug("{} disconnected: {}, {}", remoteAddress, reason.cause(), reason.detail());
        boolean wasOpen = open;
        open = false;
        count(reason.cause());
        if (wasOpen) {
            statistics.add(Counter.CONNECTIONS_OPEN, -1);
        }
        ConnectionParts p = parts;
        if (p == null) {
            neverMade();
            return;
        }
        try {
            Each.inOrder(watch()::close, p::close);
        } finally {
            gone.accept(this);
        }
    }

    /** The transport refused the receives or the whole connection, so the parts were never created. */
    void neverMade() {
        firstReceives.forEach(buffer -> context.receives().give(client, buffer));
        gone.accept(this);
    }

    private void count(DisconnectReason.Cause cause) {
        switch (cause) {
            case LOCAL_TERMINATE -> statistics.increment(Counter.TERMINATES_SENT);
            case PEER_TERMINATE -> statistics.increment(Counter.TERMINATES_RECEIVED);
            case CONNECTION_LOST -> statistics.increment(Counter.CONNECTIONS_LOST);
            case LOCAL_CLOSE, PEER_CLOSE, REJECTED, TIMEOUT, INTERNAL_ERROR -> {}
        }
    }

    /**
     * Takes no new calls, and ends the connection once the last one has been answered. May be called from any thread.
     */
    void drain() {
        draining = true;
        if (parts != null) {
            onOwnerThread(p -> {
                watch().drain();
                p.calls().drain();
            });
        }
    }

    /**
     * Checks what the connection waits for, and ends it if its peer misses a deadline; see {@link ConnectionWatch}. To
     * be called regularly, from any thread.
     *
     * @param nowNanos a clock that never goes back
     */
    void look(long nowNanos) {
        ConnectionWatch w = watch;
        if (w != null) {
            onOwnerThread(p -> {
                w.look(nowNanos);
                p.calls().disconnectIfDrained();
            });
        }
    }

    @Override
    public void abort(String reason) {
        onOwnerThread(p -> p.queuePair().abort(reason));
    }

    @Override
    public boolean open() {
        return open;
    }

    @Override
    public InetSocketAddress localAddress() {
        InetSocketAddress address = localAddress;
        if (address == null) {
            throw new IllegalStateException("not connected yet");
        }
        return address;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remoteAddress;
    }

    @Override
    public String transportName() {
        return "rdma";
    }

    /** Always true: the connection manager chooses the port, so the port does not tell. */
    @Override
    public boolean isPrivileged() {
        return true;
    }

    /** True once there is a queue pair. {@link #disconnected} follows then. */
    boolean made() {
        return parts != null;
    }

    /** The client whose shares this connection uses. */
    ClientAddress client() {
        return client;
    }

    /** True if the last check found nothing to do. May be called from any thread. */
    boolean idle() {
        ConnectionWatch w = watch;
        return w != null && w.idle();
    }

    /** The time since which it is {@link #idle}. */
    long idleSinceNanos() {
        return watch().idleSinceNanos();
    }

    @Override
    public String toString() {
        return "rdma " + remoteAddress;
    }

    // What arrives

    @Override
    public void completed(QueuePair queuePair, Completion completion) {
        ConnectionParts p = parts;
        if (p == null) {
            // These are the receives that the transport accepted before it refused one.
            return;
        }
        switch (completion) {
            case Completion.Received received -> {
                if (received.status() == CompletionStatus.SUCCESS) {
                    watch().received();
                    p.receives().filled((int) received.workRequestId());
                    p.calls().answerer().heard();
                    p.messages().received(received);
                }
            }
            case Completion.ReadDone done -> p.calls().puller().completed(done);
            case Completion.Written written -> {
                p.sender().written(written.workRequestId());
                p.calls().messageLeft();
            }
            case Completion.Sent sent -> {
                p.sender().sent(sent.workRequestId());
                p.calls().messageLeft();
            }
            // RPC-over-RDMA uses none of these (RFC 8166, section 2.2.1), and its connections have them switched off.
            case Completion.ReceivedImmediate _ -> p.queuePair().abort("Immediate Data in place of a message");
            case Completion.ImmediateSent _ -> p.queuePair().abort("Immediate Data that nobody posted");
            case Completion.AtomicDone _ -> p.queuePair().abort("an atomic operation that nobody posted");
            case Completion.Invalidated _ -> p.queuePair().abort("an invalidation that nobody posted");
        }
    }

    @Override
    public void completionsDrained(QueuePair queuePair) {
        queuePair.flush();
    }

    /**
     * False while the requester waits for an answer or may still read one, so that the connection is not closed to make
     * room.
     */
    @Override
    public boolean idle(QueuePair queuePair) {
        ConnectionParts p = parts;
        return p == null
                || (p.credits().inFlight() == 0
                        && p.sender().idle()
                        && p.exposed().open() == 0);
    }

    // What is sent

    @Override
    public void sendBackwardCall(RpcMessage call, Consumer<@Nullable String> sent) {
        onOwnerThread(p -> {
            if (p.queuePair().connected()) {
                p.backward().call(call, p.calls().answerer().inlineLimitBytes(), sent);
                p.queuePair().flush();
            } else {
                call.release();
                sent.accept("the connection has ended");
            }
        });
    }

    private void sendBackward(ReplySender sender, RpcRdmaHeader header, ByteBuffer message) {
        statistics.increment(Counter.BACKWARD_CALLS_SENT);
        sender.send(Outgoing.plain(header, List.of(message), Leaving.UNNOTICED));
    }

    @Override
    public Optional<ConfigurationAnswer> configure(ConfigurationRequest request) {
        onOwnerThread(p -> {
            p.calls().answerer().limitReplies(request.maxReplyBytes());
            p.calls().puller().limitReads(request.maxReads());
        });
        return Optional.of(new ConfigurationAnswer(
                context.options().inlineReceiveBytes(),
                parts().queuePair().parameters().ird()));
    }

    private ConnectionParts parts() {
        ConnectionParts p = parts;
        if (p == null) {
            throw new IllegalStateException("used before its queue pair was made");
        }
        return p;
    }

    private ConnectionWatch watch() {
        ConnectionWatch w = watch;
        if (w == null) {
            throw new IllegalStateException("used before its queue pair was made");
        }
        return w;
    }

    private void onOwnerThread(Consumer<ConnectionParts> task) {
        ConnectionParts p = parts();
        p.queuePair().execute(() -> task.accept(p));
    }
}
