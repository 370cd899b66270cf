/**
 * Counters of what the transports did. This package uses the JDK alone, so that every package can count and any
 * exporter can read.
 */
@NullMarked
package org.warpnfs.rpcrdma.stats;

import org.jspecify.annotations.NullMarked;
