package org.warpnfs.rpcrdma.message;

/** Creates the RPC layer's end of a new connection. Called on the connection's owner thread. */
@FunctionalInterface
public interface InboundHandlerFactory {
    InboundHandler opened(RpcConnection connection);
}
