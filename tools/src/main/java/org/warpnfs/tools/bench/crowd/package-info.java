/** Many connections at once, each with a file of its own: reads, writes and metadata in turn, all of it verified. */
@NullMarked
package org.warpnfs.tools.bench.crowd;

import org.jspecify.annotations.NullMarked;
