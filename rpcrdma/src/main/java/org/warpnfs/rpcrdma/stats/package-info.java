/**
 * What the transports did, counted. Knows nothing but the JDK, so that every package can count and any exporter can
 * read.
 */
@NullMarked
package org.warpnfs.rpcrdma.stats;

import org.jspecify.annotations.NullMarked;
