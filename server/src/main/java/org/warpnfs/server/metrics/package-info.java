/** The metrics of a running server: the table of all metrics, and their sources. */
@NullMarked
package org.warpnfs.server.metrics;

import org.jspecify.annotations.NullMarked;
