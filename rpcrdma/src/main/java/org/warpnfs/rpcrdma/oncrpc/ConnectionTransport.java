package org.warpnfs.rpcrdma.oncrpc;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.CompletionHandler;
import java.time.Instant;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.dcache.oncrpc4j.rpc.RpcReply;
import org.dcache.oncrpc4j.rpc.RpcTransport;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.lanes.Lane;
import org.warpnfs.lanes.LaneTask;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.limits.NamedTransport;
import org.warpnfs.limits.PrivilegedPeer;
import org.warpnfs.limits.SecuredPeer;
import org.warpnfs.rpcrdma.message.InboundCall;
import org.warpnfs.rpcrdma.message.InboundHandler;
import org.warpnfs.rpcrdma.message.RpcConnection;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.message.XdrStream;

/**
 * One connection as oncrpc4j's programs see it. It is the same object for every call of the connection, so that a
 * program may use it as a key.
 *
 * <h2>Operation</h2>
 *
 * Calls are passed to the operation threads, each in the lane that its program names, or run at once on the event loop.
 * There a call asks whether its client takes its replies. If not, it is passed on again when there is room.
 * {@link #send} sends the reply that was encoded into a call's own Xdr. Any other Xdr is a call in the backward
 * direction, whose reply finds its handler in {@link #getReplyQueue()}. A reply without a waiting call is dropped on
 * arrival, so that a peer cannot fill a queue with replies.
 *
 * <h2>Buffers</h2>
 *
 * See {@link CallXdr}.
 *
 * <h2>Errors</h2>
 *
 * If no operation thread takes a call, the connection is ended, and its requester repeats the call on the next one.
 */
final class ConnectionTransport extends OwnPeerTransport
        implements InboundHandler, PrivilegedPeer, NamedTransport, OpenConnection {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionTransport.class);

    private final RpcConnection connection;
    private final OncRpcDispatcher dispatcher;
    private final ClientAddress client;
    private final ConnectionEnd end = new ConnectionEnd();
    private final CredentialParser credentials = new CredentialParser();
    private final Instant since = Instant.now();
    private final long sinceNanos = System.nanoTime();
    /** Written by the connection's own thread only, as is {@link #lastCallNanos}. */
    private final AtomicLong calls = new AtomicLong();

    private volatile long lastCallNanos = sinceNanos;

    ConnectionTransport(RpcConnection connection, OncRpcDispatcher dispatcher) {
        this.connection = connection;
        this.dispatcher = dispatcher;
        this.client = ClientAddress.of(connection.remoteAddress());
    }

    CredentialParser credentials() {
        return credentials;
    }

    @Override
    public ClientAddress client() {
        return client;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return connection.remoteAddress();
    }

    @Override
    public Instant since() {
        return since;
    }

    @Override
    public long calls() {
        return calls.get();
    }

    @Override
    public Instant lastCall() {
        return since.plusNanos(lastCallNanos - sinceNanos);
    }

    @Override
    public void end(String reason) {
        connection.abort(reason);
    }

    Runnable onEnd(Runnable task) {
        return end.add(task);
    }

    @Override
    public boolean isPrivileged() {
        return connection.isPrivileged();
    }

    @Override
    public SecuredPeer.Security security() {
        return connection.security();
    }

    @Override
    public String transportName() {
        return connection.transportName();
    }

    RpcConnection connection() {
        return connection;
    }

    @Override
    public void call(InboundCall call) {
        calls.lazySet(calls.get() + 1);
        long arrivedNanos = System.nanoTime();
        lastCallNanos = arrivedNanos;
        LoopShares loop = LoopShares.ofThisThread();
        boolean mayRunHere = loop.arrived(client, arrivedNanos);
        Lane lane = dispatcher.laneOf(call.arguments(), mayRunHere);
        if (lane == Lane.EVENT_LOOP) {
            runHere(call, arrivedNanos);
            loop.ran(client, System.nanoTime() - arrivedNanos);
        } else {
            execute(call, lane, arrivedNanos);
        }
    }

    /** Runs a call that does not wait. If it has to wait for its client to take replies, it runs in a lane later. */
    private void runHere(InboundCall call, long arrivedNanos) {
        if (call.mayBegin(false, () -> execute(call, dispatcher.laneOf(call.arguments(), false), arrivedNanos))) {
            dispatcher.beginsHere();
            dispatcher.dispatch(this, call, Lane.EVENT_LOOP, arrivedNanos);
        }
    }

    private void execute(InboundCall call, Lane lane, long arrivedNanos) {
        try {
            dispatcher.execute(lane, client, new LaneTask() {
                @Override
                public void run() {
                    if (call.mayBegin(lane == Lane.DATA, () -> execute(call, lane, arrivedNanos))) {
                        open(call, lane, arrivedNanos);
                    }
                }

                @Override
                public void refused() {
                    call.drop();
                }
            });
        } catch (RejectedExecutionException e) {
            call.drop();
            connection.abort("no operation thread takes calls");
        }
    }

    /** Opens a call and runs it, in the lane of what it turns out to be. */
    private void open(InboundCall call, Lane lane, long arrivedNanos) {
        InboundCall opened = dispatcher.opened(call, client);
        if (opened == null) {
            return;
        }
        Lane own = dispatcher.laneOfOpened(opened, lane);
        if (own == lane) {
            dispatcher.dispatch(this, opened, lane, arrivedNanos);
        } else {
            execute(opened, own, arrivedNanos);
        }
    }

    @Override
    public void backwardReply(XdrStream reply) {
        DecodingXdr xdr = new DecodingXdr(reply);
        try {
            int xid = xdr.xdrDecodeInt();
            xdr.xdrDecodeInt();
            CompletionHandler<RpcReply, RpcTransport> waiting = getReplyQueue().get(xid);
            if (waiting == null) {
                LOG.atDebug()
                        .addKeyValue("xid", () -> Integer.toHexString(xid))
                        .log("{}: a backward reply comes too late", connection);
                return;
            }
            // There are only as many of these tasks as calls were made, because the XID has been removed from the
            // queue.
            dispatcher.runAside(client, () -> completeBackwardCall(xid, xdr, waiting));
        } catch (IOException e) {
            LOG.debug("{}: backward reply cannot be decoded", connection, e);
        }
    }

    @Override
    public void backwardCallLost(long xid) {
        CompletionHandler<RpcReply, RpcTransport> waiting = getReplyQueue().get((int) xid);
        if (waiting != null) {
            dispatcher.runAside(client, () -> waiting.failed(new SocketTimeoutException("backward call " + xid), this));
        }
    }

    @Override
    public void closed() {
        dispatcher.closed(this);
        // Run at once, so that a call that waits for memory gives its turn to others.
        end.ended();
        dispatcher.runAside(client, () -> {
            getReplyQueue().handleDisconnect(connection.localAddress());
            getReplyQueue().shutdown();
            dispatcher.disconnected(this);
        });
    }

    @Override
    public <A> void send(Xdr xdr, A attachment, CompletionHandler<Integer, ? super A> handler) {
        if (xdr instanceof CallXdr reply) {
            long lengthBytes = reply.send();
            if (lengthBytes >= 0) {
                handler.completed((int) lengthBytes, attachment);
            }
            return;
        }
        ByteBuffer call = ByteBuffer.wrap(xdr.getBytes());
        int lengthBytes = call.remaining();
        connection.sendBackwardCall(RpcMessage.of(call), refusal -> {
            if (refusal == null) {
                handler.completed(lengthBytes, attachment);
            } else {
                dispatcher.runAside(client, () -> handler.failed(new IOException(refusal), attachment));
            }
        });
    }

    private void completeBackwardCall(int xid, DecodingXdr xdr, CompletionHandler<RpcReply, RpcTransport> waiting) {
        try {
            RequesterTransport.complete(this, waiting, new RpcReply(xid, xdr, this));
        } catch (IOException e) {
            LOG.atDebug()
                    .addKeyValue("xid", () -> Integer.toHexString(xid))
                    .log("{}: a backward reply cannot be decoded", connection, e);
            waiting.failed(e, this);
        }
    }

    @Override
    public boolean isOpen() {
        return connection.open();
    }

    @Override
    public InetSocketAddress getLocalSocketAddress() {
        return connection.localAddress();
    }

    @Override
    public InetSocketAddress getRemoteSocketAddress() {
        return connection.remoteAddress();
    }

    @Override
    public String toString() {
        // Without the slash that Java prints before an address without a name.
        return connection.toString().replace(" /", " ");
    }
}
