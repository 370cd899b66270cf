package org.warpnfs.rpcrdma.oncrpc;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.CompletionHandler;
import java.time.Duration;
import java.util.List;
import org.dcache.oncrpc4j.rpc.OncRpcAcceptedException;
import org.dcache.oncrpc4j.rpc.OncRpcException;
import org.dcache.oncrpc4j.rpc.OncRpcRejectedException;
import org.dcache.oncrpc4j.rpc.RpcAccepsStatus;
import org.dcache.oncrpc4j.rpc.RpcReply;
import org.dcache.oncrpc4j.rpc.RpcTransport;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.message.XdrStream;
import org.warpnfs.rpcrdma.request.ChunkOffer;
import org.warpnfs.rpcrdma.request.ReplyHandler;
import org.warpnfs.rpcrdma.request.RequestException;
import org.warpnfs.rpcrdma.request.Requester;

/**
 * A requester as a transport of oncrpc4j's {@code RpcCall}: {@code new RpcCall(program, version, auth, transport)}
 * makes calls over RDMA or TCP.
 *
 * <h2>Operation</h2>
 *
 * {@code RpcCall} encodes into an Xdr of its own, which does not know payloads. So its calls are sent inline or as long
 * calls, and offer a Reply chunk. {@link RpcCaller} makes calls whose DDP-eligible items are sent in Read and Write
 * chunks.
 *
 * <h2>Buffers</h2>
 *
 * The call and the reply of an {@code RpcCall} are copied.
 *
 * <h2>Errors</h2>
 *
 * A call that fails below RPC fails its handler with {@link RequestException}. Safe for any thread. Handlers run on the
 * connection's owner thread and must not block.
 */
public final class RequesterTransport extends OwnPeerTransport implements AutoCloseable {
    private final Requester requester;
    private final int maxReplyBytes;
    private final Duration timeout;

    /**
     * @param maxReplyBytes the size of the Reply chunk of each {@code RpcCall}; 0 for none
     * @param timeout the time after which the requester may end a call, if the owner of the requester calls
     *     {@link Requester#endOverdue}
     */
    public RequesterTransport(Requester requester, int maxReplyBytes, Duration timeout) {
        this.requester = requester;
        this.maxReplyBytes = maxReplyBytes;
        this.timeout = timeout;
    }

    /** Creates a transport with a timeout of one minute for each call. */
    public RequesterTransport(Requester requester, int maxReplyBytes) {
        this(requester, maxReplyBytes, Duration.ofMinutes(1));
    }

    Requester requester() {
        return requester;
    }

    @Override
    public <A> void send(Xdr xdr, A attachment, CompletionHandler<Integer, ? super A> handler) {
        ByteBuffer call = ByteBuffer.wrap(xdr.getBytes());
        int xid = call.getInt(0);
        ChunkOffer offer =
                maxReplyBytes == 0 ? ChunkOffer.NONE : ChunkOffer.reply(ByteBuffer.allocateDirect(maxReplyBytes));
        requester.call(RpcMessage.of(call), offer, Requester.deadlineNanos(timeout), new Waiting(xid));
        handler.completed(call.limit(), attachment);
    }

    /** Passes the result to the handler in the reply queue, unless that has timed out. */
    private final class Waiting implements ReplyHandler {
        private final int xid;

        Waiting(int xid) {
            this.xid = xid;
        }

        @Override
        public void replied(XdrStream message, List<ByteBuffer> written) {
            CompletionHandler<RpcReply, RpcTransport> waiting = getReplyQueue().get(xid);
            if (waiting == null) {
                return;
            }
            try {
                // Copied, because oncrpc4j decodes later.
                RpcReply reply = reply(RequesterTransport.this, new ReplyXdr(message.copied(), written));
                complete(RequesterTransport.this, waiting, reply);
            } catch (IOException e) {
                waiting.failed(e, RequesterTransport.this);
            }
        }

        @Override
        public void failed(RequestException why) {
            CompletionHandler<RpcReply, RpcTransport> waiting = getReplyQueue().get(xid);
            if (waiting != null) {
                waiting.failed(why, RequesterTransport.this);
            }
        }
    }

    /** Reads a reply's header. */
    static RpcReply reply(RpcTransport transport, DecodingXdr xdr) throws IOException {
        int xid = xdr.xdrDecodeInt();
        xdr.xdrDecodeInt();
        return new RpcReply(xid, xdr, transport);
    }

    /** Throws if RPC reports anything but success. */
    static void check(RpcReply reply) throws OncRpcException {
        if (!reply.isAccepted()) {
            throw new OncRpcRejectedException(reply.getRejectStatus());
        }
        if (reply.getAcceptStatus() != RpcAccepsStatus.SUCCESS) {
            throw new OncRpcAcceptedException(reply.getAcceptStatus());
        }
    }

    /** Passes the result of RPC to the handler that waits. */
    static void complete(RpcTransport transport, CompletionHandler<RpcReply, RpcTransport> waiting, RpcReply reply) {
        try {
            check(reply);
        } catch (OncRpcException e) {
            waiting.failed(e, transport);
            return;
        }
        try {
            waiting.completed(reply, transport);
        } catch (RuntimeException e) {
            // A decoder of the caller failed. That fails its own call and no other.
            waiting.failed(e, transport);
        }
    }

    @Override
    public boolean isOpen() {
        return requester.open();
    }

    @Override
    public InetSocketAddress getLocalSocketAddress() {
        return requester.localAddress();
    }

    @Override
    public InetSocketAddress getRemoteSocketAddress() {
        return requester.remoteAddress();
    }

    /** Ends the connection. */
    @Override
    public void close() {
        getReplyQueue().shutdown();
        requester.close();
    }
}
