/** A small HTTP server that answers questions and takes no orders. Knows nothing of what it tells. */
@NullMarked
package org.warpnfs.server.http;

import org.jspecify.annotations.NullMarked;
