/**
 * The requester: makes calls over a queue pair, offering chunks for what does not fit inline.
 *
 * <p>This package uses RDMA through {@code iwarp.verbs} only. Messages are XDR, and only the caller knows their
 * contents.
 */
@NullMarked
package org.warpnfs.rpcrdma.client;

import org.jspecify.annotations.NullMarked;
