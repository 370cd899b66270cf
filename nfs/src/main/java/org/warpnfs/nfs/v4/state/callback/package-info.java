/**
 * The ways back to clients: the back channel of a session (RFC 8881, section 2.10.3.1), or the address that an NFSv4.0
 * client names (RFC 7530, section 10.2.1). What is called is decided here, and what came of it;
 * {@link org.warpnfs.nfs.v4.state.callback.CallbackSender} carries the calls.
 */
@NullMarked
package org.warpnfs.nfs.v4.state.callback;

import org.jspecify.annotations.NullMarked;
