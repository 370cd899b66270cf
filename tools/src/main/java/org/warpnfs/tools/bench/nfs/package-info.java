/**
 * A small NFS client (RFC 1813, RFC 8881) that has only what the load generator needs.
 *
 * <p>It encodes calls word by word in buffers that are reused. The client must cost as little as possible, because the
 * server is what is measured.
 */
@NullMarked
package org.warpnfs.tools.bench.nfs;

import org.jspecify.annotations.NullMarked;
