/**
 * oncrpc4j programs on top of the transports: an Xdr that supports chunks, an RpcTransport for each connection, and the
 * dispatcher.
 *
 * <p>Besides the services, this is the only package that uses oncrpc4j. It knows no transport: a call is a
 * {@link org.warpnfs.rpcrdma.message.InboundCall}, wherever it came from.
 */
@NullMarked
package org.warpnfs.rpcrdma.oncrpc;

import org.jspecify.annotations.NullMarked;
