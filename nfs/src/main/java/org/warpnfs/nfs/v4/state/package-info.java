/**
 * What the server remembers of NFSv4 clients: their identities, sessions and slots, opens, byte-range locks, the grace period
 * and the journal of who may reclaim after a restart.
 *
 * <p>Sans-IO but for two doors: {@link org.warpnfs.nfs.v4.state.RecoveryLog}, which must be on stable storage before a state is
 * acknowledged, and the backend's open files, which are held here and closed from here. Time is an argument everywhere, in
 * nanoseconds of one monotonic clock. {@link org.warpnfs.nfs.v4.state.StateTable} is the one entrance and holds the one lock.
 *
 * <p>Knows neither XDR streams, exports nor operations.
 */
@NullMarked
package org.warpnfs.nfs.v4.state;

import org.jspecify.annotations.NullMarked;
