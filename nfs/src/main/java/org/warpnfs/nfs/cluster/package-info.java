/**
 * Several gateways that serve the same files: who they are, and when their clients may reclaim (RFC 8881, section
 * 8.4.2.1). {@link org.warpnfs.nfs.cluster.ClusterRecord} is what they share,
 * {@link org.warpnfs.nfs.cluster.Membership} decides without I/O, clock or thread,
 * {@link org.warpnfs.nfs.cluster.ClusterStore} keeps.
 */
@NullMarked
package org.warpnfs.nfs.cluster;

import org.jspecify.annotations.NullMarked;
