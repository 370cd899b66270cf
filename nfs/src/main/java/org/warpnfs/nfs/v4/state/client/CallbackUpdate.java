package org.warpnfs.nfs.v4.state.client;

import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.state.callback.CallbackAddress;

/**
 * A new callback address from a confirmed client that has sent SETCLIENTID again without having restarted (RFC 7530,
 * section 16.33.5).
 *
 * @param confirmVerifier the verifier that SETCLIENTID_CONFIRM must have
 * @param address null if the client cannot be called
 */
record CallbackUpdate(long confirmVerifier, @Nullable CallbackAddress address) {}
