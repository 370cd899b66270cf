package org.warpnfs.nfs.cluster;

/**
 * The sign of life of a node.
 *
 * @param instance that gives it
 * @param count how many it has given
 */
public record Beat(int instance, long count) {}
