/**
 * What survives a restart of the server: the journal of clients that may have state, and the grace period in which they
 * may reclaim it (RFC 8881, section 8.4.2). The package knows clients by name only, and not their state.
 */
@NullMarked
package org.warpnfs.nfs.v4.state.recovery;

import org.jspecify.annotations.NullMarked;
