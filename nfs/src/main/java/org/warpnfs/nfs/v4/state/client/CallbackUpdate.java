package org.warpnfs.nfs.v4.state.client;

import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.state.callback.CallbackAddress;

/**
 * A SETCLIENTID that a confirmed client sent again without having restarted: it wants to be called elsewhere (RFC 7530,
 * section 16.33.5).
 *
 * @param confirmVerifier what SETCLIENTID_CONFIRM has to say
 * @param address null if it cannot be called
 */
record CallbackUpdate(long confirmVerifier, @Nullable CallbackAddress address) {}
