package org.warpnfs.nfs.v4.state.core;

/**
 * The sender of a call, before any squashing: the principal of RFC 8881, section 2.4.
 *
 * @param flavor of the credential
 * @param uid unsigned 32 bits; 0 for AUTH_NONE
 */
public record Principal(int flavor, long uid) {}
