package org.warpnfs.nfs.v4.state.client;

/**
 * What SETCLIENTID gives.
 *
 * @param confirmVerifier for SETCLIENTID_CONFIRM
 */
public record GivenClientid(long id, long confirmVerifier) {}
