/** Keeps calls in flight and measures their latency. It can verify that reads return what was written. */
@NullMarked
package org.warpnfs.tools.bench.load;

import org.jspecify.annotations.NullMarked;
