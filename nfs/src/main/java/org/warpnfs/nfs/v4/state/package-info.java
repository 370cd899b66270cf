/**
 * The state of NFSv4 clients. {@link org.warpnfs.nfs.v4.state.StateTable} is the only entry point. It has one part for
 * each group of operations. Each part takes the one lock and uses the tables of the packages below.
 *
 * <pre>
 *   state      the entry point: the lock, a part for each group of operations, what administrators see and revoke
 *   file       opens, byte-range locks, delegations, and owners of NFSv4.0
 *   client     clients and their leases, sessions and slots, kept replies, and the callback paths of each client
 *   callback   one callback path: a back channel, or an address that the server connects to; the calls over it
 *   recovery   the journal of clients that may reclaim after a restart, and the grace period
 *   listing    queries of administrators, and the rows that they get
 *   core       who a client is, its limits, and its share of them
 * </pre>
 *
 * Each package uses only those below it, and {@code file} and {@code client} do not know each other. The state of a
 * client is in the tables that own it, by client.
 *
 * <p>The packages do no I/O, with two exceptions: {@link org.warpnfs.nfs.v4.state.recovery.RecoveryLog}, which must be
 * on stable storage before a state is acknowledged, and the backend's open files, which are held and closed here. Time
 * is an argument everywhere, in nanoseconds of one monotonic clock.
 *
 * <p>They know neither XDR streams, exports nor operations.
 */
@NullMarked
package org.warpnfs.nfs.v4.state;

import org.jspecify.annotations.NullMarked;
