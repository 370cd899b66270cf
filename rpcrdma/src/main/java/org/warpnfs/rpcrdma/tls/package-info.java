/** Certificates and keys of RPC-with-TLS (RFC 9289). Knows neither sockets nor messages. */
@NullMarked
package org.warpnfs.rpcrdma.tls;

import org.jspecify.annotations.NullMarked;
