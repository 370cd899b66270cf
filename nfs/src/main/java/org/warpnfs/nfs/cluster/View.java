package org.warpnfs.nfs.cluster;

/**
 * What a node has seen of the others.
 *
 * @param read the record
 * @param signs of life of some of them
 * @param seenNanos a time after both were read
 */
public record View(ClusterStore.Versioned read, Signs signs, long seenNanos) {
    ClusterRecord record() {
        return read.record();
    }
}
