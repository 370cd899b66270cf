/**
 * Calls of the server to NFSv4.1 and 4.2 clients, over the connections that the clients made (RFC 8881 section 2.10.3.1): what {@link
 * org.warpnfs.nfs.v4.state.CallbackCall} says, as RPC.
 */
@NullMarked
package org.warpnfs.nfs.v4.callback;

import org.jspecify.annotations.NullMarked;
