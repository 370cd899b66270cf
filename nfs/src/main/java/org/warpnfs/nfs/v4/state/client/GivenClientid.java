package org.warpnfs.nfs.v4.state.client;

/**
 * Result of SETCLIENTID.
 *
 * @param confirmVerifier for SETCLIENTID_CONFIRM
 */
public record GivenClientid(long id, long confirmVerifier) {}
