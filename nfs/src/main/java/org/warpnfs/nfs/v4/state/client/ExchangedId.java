package org.warpnfs.nfs.v4.state.client;

/**
 * What EXCHANGE_ID answers.
 *
 * @param sequence for the next CREATE_SESSION
 * @param confirmed the record has been confirmed by a CREATE_SESSION before
 */
public record ExchangedId(long clientId, int sequence, boolean confirmed) {}
