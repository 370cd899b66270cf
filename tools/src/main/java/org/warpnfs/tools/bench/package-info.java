/**
 * The load generator. It reads or writes one file of an NFS server for some time and reports throughput and latency.
 *
 * <p>{@link org.warpnfs.tools.bench.Bench} is the entry point. The package depends on the requesters of {@code rpcrdma}
 * and not on our server. It works with any server of NFSv3 or NFSv4.1.
 */
@NullMarked
package org.warpnfs.tools.bench;

import org.jspecify.annotations.NullMarked;
