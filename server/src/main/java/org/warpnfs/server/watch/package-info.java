/** Monitors a running server, and serves the results over HTTP: metrics, health, the status page. */
@NullMarked
package org.warpnfs.server.watch;

import org.jspecify.annotations.NullMarked;
