package org.warpnfs.rpcrdma.oncrpc;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.CompletionHandler;
import org.dcache.oncrpc4j.rpc.OncRpcAcceptedException;
import org.dcache.oncrpc4j.rpc.OncRpcRejectedException;
import org.dcache.oncrpc4j.rpc.ReplyQueue;
import org.dcache.oncrpc4j.rpc.RpcAccepsStatus;
import org.dcache.oncrpc4j.rpc.RpcAuthError;
import org.dcache.oncrpc4j.rpc.RpcAuthException;
import org.dcache.oncrpc4j.rpc.RpcAuthStat;
import org.dcache.oncrpc4j.rpc.RpcReply;
import org.dcache.oncrpc4j.rpc.RpcTransport;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.jspecify.annotations.Nullable;
import org.warpnfs.rpcrdma.client.RpcRdmaRequester;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.message.XdrStream;
import org.warpnfs.rpcrdma.request.ChunkOffer;
import org.warpnfs.rpcrdma.request.RequesterReply;

/**
 * A requester as oncrpc4j's {@code RpcCall} wants it: {@code new RpcCall(program, version, auth, transport)} makes calls
 * over RDMA.
 *
 * <h2>Operation</h2>
 *
 * Calls that do not fit inline go as long calls; every call offers a Reply chunk. Who wants Read and Write chunks for single
 * items uses {@link RpcRdmaRequester} itself.
 *
 * <h2>Buffers</h2>
 *
 * Call and reply are copied.
 *
 * <h2>Errors</h2>
 *
 * A call that fails below RPC fails its handler with {@link org.warpnfs.rpcrdma.request.RequestException}. Safe for any
 * thread; handlers run on the connection's owner thread and must not block.
 */
public final class RequesterTransport implements RpcTransport, AutoCloseable {
    private final RpcRdmaRequester requester;
    private final int maxReplyBytes;
    private final ReplyQueue replies = new ReplyQueue();

    /** @param maxReplyBytes size of the Reply chunk that goes with each call; 0 for none */
    public RequesterTransport(RpcRdmaRequester requester, int maxReplyBytes) {
        this.requester = requester;
        this.maxReplyBytes = maxReplyBytes;
    }

    @Override
    public <A> void send(Xdr xdr, A attachment, CompletionHandler<Integer, ? super A> handler) {
        ByteBuffer call = ByteBuffer.wrap(xdr.getBytes());
        int xid = call.getInt(0);
        ChunkOffer offer =
                maxReplyBytes == 0 ? ChunkOffer.NONE : ChunkOffer.reply(ByteBuffer.allocateDirect(maxReplyBytes));
        var _ = requester.call(RpcMessage.of(call), offer).whenComplete((reply, failure) -> ended(xid, reply, failure));
        handler.completed(call.limit(), attachment);
    }

    private void ended(int xid, @Nullable RequesterReply reply, @Nullable Throwable failure) {
        CompletionHandler<RpcReply, RpcTransport> waiting = replies.get(xid);
        if (waiting == null) {
            // It timed out before.
            return;
        }
        if (reply == null) {
            waiting.failed(failure, this);
            return;
        }
        try {
            StreamXdr xdr = new StreamXdr(XdrStream.of(reply.message()));
            xdr.xdrDecodeLong();
            complete(this, waiting, new RpcReply(xid, xdr, this));
        } catch (IOException e) {
            waiting.failed(e, this);
        }
    }

    /** Tells the one who waits what RPC says. */
    static void complete(RpcTransport transport, CompletionHandler<RpcReply, RpcTransport> waiting, RpcReply reply) {
        if (!reply.isAccepted()) {
            waiting.failed(new OncRpcRejectedException(reply.getRejectStatus()), transport);
        } else if (reply.getAcceptStatus() != RpcAccepsStatus.SUCCESS) {
            waiting.failed(new OncRpcAcceptedException(reply.getAcceptStatus()), transport);
        } else {
            waiting.completed(reply, transport);
        }
    }

    @Override
    public ReplyQueue getReplyQueue() {
        return replies;
    }

    @Override
    public boolean isOpen() {
        return requester.open();
    }

    @Override
    public InetSocketAddress getLocalSocketAddress() {
        return requester.parameters().localAddress();
    }

    @Override
    public InetSocketAddress getRemoteSocketAddress() {
        return requester.parameters().remoteAddress();
    }

    @Override
    public RpcTransport getPeerTransport() {
        return this;
    }

    @Override
    public void startTLS() throws RpcAuthException {
        throw new RpcAuthException("no TLS on this transport", new RpcAuthError(RpcAuthStat.AUTH_FAILED));
    }

    @Override
    public boolean isTLS() {
        return false;
    }

    /** Ends the connection. */
    @Override
    public void close() {
        replies.shutdown();
        requester.close();
    }
}
