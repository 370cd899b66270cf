/**
 * Runs many connections at once, each with a file of its own. They mix reads, writes and metadata calls and verify all
 * replies.
 */
@NullMarked
package org.warpnfs.tools.bench.crowd;

import org.jspecify.annotations.NullMarked;
