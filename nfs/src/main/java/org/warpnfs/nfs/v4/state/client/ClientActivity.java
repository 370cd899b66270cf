package org.warpnfs.nfs.v4.state.client;

/**
 * Activity of a client so far.
 *
 * @param confirmed false if it has sent only EXCHANGE_ID or SETCLIENTID
 * @param expired true if its lease has run out
 * @param silentNanos time since its last request ended
 * @param requests number of its requests that were executed
 * @param underWay number of these that are still being executed
 */
public record ClientActivity(boolean confirmed, boolean expired, long silentNanos, long requests, int underWay) {}
