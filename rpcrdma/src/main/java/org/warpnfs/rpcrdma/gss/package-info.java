/**
 * RPCSEC_GSS version 1 (RFC 2203): a layer between a transport and RPC programs. It opens calls whose credential has
 * flavor 6 and wraps their replies. It knows RPC messages, but neither programs nor transports.
 */
@NullMarked
package org.warpnfs.rpcrdma.gss;

import org.jspecify.annotations.NullMarked;
