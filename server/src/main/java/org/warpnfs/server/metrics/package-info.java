/** What a running server tells of itself in numbers: the table of all metrics, and what fills it. */
@NullMarked
package org.warpnfs.server.metrics;

import org.jspecify.annotations.NullMarked;
