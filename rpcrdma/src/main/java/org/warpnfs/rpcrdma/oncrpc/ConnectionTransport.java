package org.warpnfs.rpcrdma.oncrpc;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.CompletionHandler;
import java.util.concurrent.RejectedExecutionException;
import org.dcache.oncrpc4j.rpc.RpcReply;
import org.dcache.oncrpc4j.rpc.RpcTransport;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.rpcrdma.message.InboundCall;
import org.warpnfs.rpcrdma.message.InboundHandler;
import org.warpnfs.rpcrdma.message.RpcConnection;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.message.XdrStream;

/**
 * One connection as oncrpc4j's programs see it. The same object for every call of the connection, so that a program may key on
 * it.
 *
 * <h2>Operation</h2>
 *
 * Calls are handed to the operation threads. {@link #send} sends the reply that was encoded into a call's own Xdr, and takes any
 * other Xdr for a call in the backward direction, whose reply finds its handler in {@link #getReplyQueue()}.
 *
 * <h2>Buffers</h2>
 *
 * See {@link CallXdr}.
 *
 * <h2>Errors</h2>
 *
 * If no operation thread takes a call, the connection is ended: its requester repeats the call on the next one.
 */
final class ConnectionTransport extends OwnPeerTransport implements InboundHandler {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionTransport.class);

    private final RpcConnection connection;
    private final OncRpcDispatcher dispatcher;

    ConnectionTransport(RpcConnection connection, OncRpcDispatcher dispatcher) {
        this.connection = connection;
        this.dispatcher = dispatcher;
    }

    RpcConnection connection() {
        return connection;
    }

    @Override
    public void call(InboundCall call) {
        try {
            dispatcher.executor().execute(() -> dispatcher.dispatch(this, call));
        } catch (RejectedExecutionException e) {
            call.drop();
            connection.abort("no operation thread takes calls");
        }
    }

    @Override
    public void backwardReply(XdrStream reply) {
        try {
            dispatcher.executor().execute(() -> completeBackwardCall(reply));
        } catch (RejectedExecutionException e) {
            LOG.debug("{}: backward reply dropped, no operation thread takes it", connection);
        }
    }

    @Override
    public void backwardCallLost(long xid) {
        CompletionHandler<RpcReply, RpcTransport> waiting = getReplyQueue().get((int) xid);
        if (waiting != null) {
            dispatcher.runAside(() -> waiting.failed(new SocketTimeoutException("backward call " + xid), this));
        }
    }

    @Override
    public void closed() {
        dispatcher.runAside(() -> {
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
                dispatcher.runAside(() -> handler.failed(new IOException(refusal), attachment));
            }
        });
    }

    private void completeBackwardCall(XdrStream message) {
        StreamXdr xdr = new StreamXdr(message);
        try {
            int xid = xdr.xdrDecodeInt();
            xdr.xdrDecodeInt();
            CompletionHandler<RpcReply, RpcTransport> waiting = getReplyQueue().get(xid);
            if (waiting == null) {
                LOG.debug("{}: backward reply {} comes too late", connection, xid);
                return;
            }
            RequesterTransport.complete(this, waiting, new RpcReply(xid, xdr, this));
        } catch (IOException e) {
            LOG.debug("{}: backward reply cannot be decoded", connection, e);
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
        return connection.toString();
    }
}
