/**
 * Exactly once for protocols without sessions: what was answered is remembered, and a call that comes again is answered
 * with the same bytes.
 *
 * <p>Knows oncrpc4j's calls and streams; no program.
 */
@NullMarked
package org.warpnfs.nfs.replay;

import org.jspecify.annotations.NullMarked;
