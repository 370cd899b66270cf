/** Watches a running server, and tells over HTTP what it sees: metrics, health, the status page. */
@NullMarked
package org.warpnfs.server.watch;

import org.jspecify.annotations.NullMarked;
