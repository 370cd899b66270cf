/**
 * oncrpc4j programs on top of the transports: an Xdr that knows chunks, an RpcTransport for each connection, the
 * dispatcher.
 *
 * <p>The only package that knows oncrpc4j, besides the two services. It knows no transport: a call is a
 * {@link org.warpnfs.rpcrdma.message.InboundCall}, wherever it came from.
 */
@NullMarked
package org.warpnfs.rpcrdma.oncrpc;

import org.jspecify.annotations.NullMarked;
