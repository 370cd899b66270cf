package org.warpnfs.nfs.v4.state.core;

/**
 * Who made a call, before any squashing: what RFC 8881, section 2.4 calls the principal.
 *
 * @param flavor of the credential
 * @param uid unsigned 32 bits; 0 for AUTH_NONE
 */
public record Principal(int flavor, long uid) {}
