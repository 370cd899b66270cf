/** Keeps calls in flight and takes their time; what is read can be checked against what was written. */
@NullMarked
package org.warpnfs.tools.bench.load;

import org.jspecify.annotations.NullMarked;
