/**
 * Callbacks to clients as RPC: sends each {@link org.warpnfs.nfs.v4.state.callback.CallbackCall}. Calls to NFSv4.1 and
 * 4.2 clients use the connections that these made (RFC 8881, section 2.10.3.1). Calls to NFSv4.0 clients use
 * connections that the server makes (RFC 7530, section 10.2.1) by a {@link org.warpnfs.nfs.v4.callback.CallbackDialer}.
 */
@NullMarked
package org.warpnfs.nfs.v4.callback;

import org.jspecify.annotations.NullMarked;
