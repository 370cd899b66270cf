package org.warpnfs.rpcrdma.message;

/** Makes the RPC layer's end of a new connection, on the connection's owner thread. */
@FunctionalInterface
public interface InboundHandlerFactory {
    InboundHandler opened(RpcConnection connection);
}
