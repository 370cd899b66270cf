/**
 * What warpnfs costs beside others on one host in one run: bare loops of system calls, NFS-Ganesha, and its own ways.
 *
 * <p>{@link Namespace} starts the run again in a network namespace of its own; there {@link Compare} measures what the
 * {@link Plan} says in {@link Room}s and with servers that it makes and takes away.
 */
@NullMarked
package org.warpnfs.tools.bench.compare;

import org.jspecify.annotations.NullMarked;
