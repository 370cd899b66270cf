/**
 * The costs of many connections. {@link org.warpnfs.tools.bench.scale.Scale} starts servers of its own and measures
 * what a connection holds in memory, what idle ones cost an active one, and how throughput adds up over several.
 */
@NullMarked
package org.warpnfs.tools.bench.scale;

import org.jspecify.annotations.NullMarked;
