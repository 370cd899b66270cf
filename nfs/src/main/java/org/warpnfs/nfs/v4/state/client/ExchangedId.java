package org.warpnfs.nfs.v4.state.client;

/**
 * Result of EXCHANGE_ID.
 *
 * @param sequence for the next CREATE_SESSION
 * @param confirmed true if an earlier CREATE_SESSION has confirmed the record
 */
public record ExchangedId(long clientId, int sequence, boolean confirmed) {}
