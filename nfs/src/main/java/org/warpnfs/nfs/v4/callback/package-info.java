/**
 * Calls of the server to clients: what {@link org.warpnfs.nfs.v4.state.callback.CallbackCall} says, as RPC. They go to
 * NFSv4.1 and 4.2 clients over the connections that these made (RFC 8881, section 2.10.3.1), and to NFSv4.0 clients
 * over connections that the server makes (RFC 7530, section 10.2.1), by whatever
 * {@link org.warpnfs.nfs.v4.callback.CallbackDialer} it is given.
 */
@NullMarked
package org.warpnfs.nfs.v4.callback;

import org.jspecify.annotations.NullMarked;
