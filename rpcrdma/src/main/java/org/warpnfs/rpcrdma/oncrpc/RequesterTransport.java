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
 * A requester as oncrpc4j's {@code RpcCall} wants it: {@code new RpcCall(program, version, auth, transport)} makes
 * calls over RDMA or TCP.
 *
 * <h2>Operation</h2>
 *
 * {@code RpcCall} encodes into an Xdr of its own, which does not know payloads: its calls go inline or as long calls,
 * and offer a Reply chunk. {@link RpcCaller} makes calls whose DDP-eligible items travel in Read and Write chunks.
 *
 * <h2>Buffers</h2>
 *
 * Of an {@code RpcCall}, call and reply are copied.
 *
 * <h2>Errors</h2>
 *
 * A call that fails below RPC fails its handler with {@link RequestException}. Safe for any thread; handlers run on the
 * connection's owner thread and must not block.
 */
public final class RequesterTransport extends OwnPeerTransport implements AutoCloseable {
    private final Requester requester;
    private final int maxReplyBytes;
    private final Duration timeout;

    /**
     * @param maxReplyBytes size of the Reply chunk that goes with each {@code RpcCall}; 0 for none
     * @param timeout after which the requester may end a call, if its owner watches the time
     */
    public RequesterTransport(Requester requester, int maxReplyBytes, Duration timeout) {
        this.requester = requester;
        this.maxReplyBytes = maxReplyBytes;
        this.timeout = timeout;
    }

    /** With a minute for each call. */
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

    /** Hands the outcome to whoever waits in the reply queue, unless that timed out before. */
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
            // oncrpc4j decodes when its caller comes round to it.
            byte[] copy = new byte[message.remainingBytes()];
            message.read(copy, 0, copy.length);
            try {
                RpcReply reply =
                        reply(RequesterTransport.this, new ReplyXdr(XdrStream.of(ByteBuffer.wrap(copy)), written));
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

    /** What RPC says if it is not success. */
    static void check(RpcReply reply) throws OncRpcException {
        if (!reply.isAccepted()) {
            throw new OncRpcRejectedException(reply.getRejectStatus());
        }
        if (reply.getAcceptStatus() != RpcAccepsStatus.SUCCESS) {
            throw new OncRpcAcceptedException(reply.getAcceptStatus());
        }
    }

    /** Tells the one who waits what RPC says. */
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
            // A decoder of the caller's: its failure is that call's and no other's.
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
