/**
 * What outlives a restart of the server: the journal of clients that may hold state, and the grace period in which they
 * may reclaim it (RFC 8881, section 8.4.2). Knows clients by name only, not what they hold.
 */
@NullMarked
package org.warpnfs.nfs.v4.state.recovery;

import org.jspecify.annotations.NullMarked;
