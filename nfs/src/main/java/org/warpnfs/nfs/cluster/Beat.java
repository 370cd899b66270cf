package org.warpnfs.nfs.cluster;

/**
 * The sign of life of a node, and what it has to tell. Whoever writes the record next writes that too, so that a
 * hundred nodes with something to tell do not each replace the record.
 *
 * @param instance that gives it
 * @param count how many it has given
 * @param prepared the latest epoch for which its list of clients is written; if that epoch has a grace period, it
 *     grants nothing but reclaims until the period is lifted
 * @param done its clients no longer need a grace period
 */
public record Beat(int instance, long count, long prepared, boolean done) {}
