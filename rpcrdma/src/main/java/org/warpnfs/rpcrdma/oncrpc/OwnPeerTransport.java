package org.warpnfs.rpcrdma.oncrpc;

import org.dcache.oncrpc4j.rpc.ReplyQueue;
import org.dcache.oncrpc4j.rpc.RpcAuthError;
import org.dcache.oncrpc4j.rpc.RpcAuthException;
import org.dcache.oncrpc4j.rpc.RpcAuthStat;
import org.dcache.oncrpc4j.rpc.RpcTransport;

/**
 * The common part of the transports of both ends. They are their own peer, match replies by XID, and do not support
 * TLS.
 */
abstract class OwnPeerTransport implements RpcTransport {
    private final ReplyQueue replies = new ReplyQueue();

    @Override
    public final ReplyQueue getReplyQueue() {
        return replies;
    }

    /** Returns this transport, because calls, replies and backward calls use the same connection. */
    @Override
    public final RpcTransport getPeerTransport() {
        return this;
    }

    @Override
    public final void startTLS() throws RpcAuthException {
        throw new RpcAuthException("no TLS on this transport", new RpcAuthError(RpcAuthStat.AUTH_FAILED));
    }

    @Override
    public final boolean isTLS() {
        return false;
    }
}
