/**
 * The load generator: reads or writes one file of an NFS server for a while, and says how fast it was.
 *
 * <p>{@link org.warpnfs.tools.bench.Bench} is where it begins. It knows the requesters of {@code rpcrdma} and nothing
 * of our server: any server that speaks NFSv3 or NFSv4.1 will do.
 */
@NullMarked
package org.warpnfs.tools.bench;

import org.jspecify.annotations.NullMarked;
