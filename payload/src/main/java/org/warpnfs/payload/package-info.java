/**
 * Buffers that carry file data between a transport, an RPC program and a backend.
 *
 * <p>The lowest rung of the ladder: it knows neither protocol nor socket, so that a transport, a program and a backend
 * can hand one buffer along without copying it and without knowing each other.
 */
@NullMarked
package org.warpnfs.payload;

import org.jspecify.annotations.NullMarked;
