/**
 * Buffers that carry file data between a transport, an RPC program and a backend.
 *
 * <p>This package is at the bottom of the dependency ladder and knows neither protocols nor sockets. So a transport, a
 * program and a backend can pass one buffer along without copying it and without depending on each other.
 */
@NullMarked
package org.warpnfs.payload;

import org.jspecify.annotations.NullMarked;
