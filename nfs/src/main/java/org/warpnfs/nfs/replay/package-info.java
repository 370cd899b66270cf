/**
 * Exactly-once semantics for protocols without sessions: replies are kept, and a call that is repeated gets the same
 * bytes again.
 *
 * <p>The package knows oncrpc4j's calls and streams, but no program.
 */
@NullMarked
package org.warpnfs.nfs.replay;

import org.jspecify.annotations.NullMarked;
