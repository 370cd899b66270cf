package org.warpnfs.nfs.v4.state.client;

/**
 * What a client has done so far.
 *
 * @param confirmed false if it never got beyond EXCHANGE_ID or SETCLIENTID
 * @param expired true if its lease has run out
 * @param silentNanos since its last request ended
 * @param requests it sent that were executed
 * @param underWay of these, that are being executed
 */
public record ClientActivity(boolean confirmed, boolean expired, long silentNanos, long requests, int underWay) {}
