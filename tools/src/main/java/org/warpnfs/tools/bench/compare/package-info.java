/**
 * Compares the cost of warpnfs over its transports with bare loops of system calls and with NFS-Ganesha, on one host in
 * one run.
 *
 * <p>{@link Namespace} starts the program again in a network namespace of its own. There {@link Compare} measures the
 * rows of the {@link Plan}. It sets up a {@link Room} and starts the servers, which end with the namespace.
 */
@NullMarked
package org.warpnfs.tools.bench.compare;

import org.jspecify.annotations.NullMarked;
