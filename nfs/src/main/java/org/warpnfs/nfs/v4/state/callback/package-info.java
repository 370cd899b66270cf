/**
 * Callback paths to clients: the back channel of a session (RFC 8881, section 2.10.3.1), or the address that an NFSv4.0
 * client names (RFC 7530, section 10.2.1). This package decides what is called, and evaluates the outcomes. A
 * {@link org.warpnfs.nfs.v4.state.callback.CallbackSender} sends the calls.
 */
@NullMarked
package org.warpnfs.nfs.v4.state.callback;

import org.jspecify.annotations.NullMarked;
