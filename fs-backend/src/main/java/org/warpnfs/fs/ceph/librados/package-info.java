/**
 * The calls of librados that a cluster of gateways needs to keep what they share, through the Foreign Function and
 * Memory API: objects with named values, changed as a whole under a condition.
 *
 * <p>The library comes with libcephfs, which is built on it.
 */
@NullMarked
package org.warpnfs.fs.ceph.librados;

import org.jspecify.annotations.NullMarked;
