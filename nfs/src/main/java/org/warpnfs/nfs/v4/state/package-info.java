/**
 * What the server remembers of NFSv4 clients. {@link org.warpnfs.nfs.v4.state.StateTable} is the one entrance. It has
 * one part for each group of operations, and holds the one lock; each part takes the lock and asks the tables below.
 *
 * <pre>
 *   state      the entrance: the lock, one part for each group of operations, what administrators see and take away
 *   file       opens, byte-range locks, delegations, and owners of NFSv4.0
 *   client     clients and their leases, sessions and slots, kept replies, and which way leads back to a client
 *   callback   one way back: a back channel, or an address that the server dials; what is said there
 *   recovery   the journal of who may reclaim after a restart, and the grace period
 *   listing    what administrators ask for, and the rows that they get
 *   core       who a client is, what it may have, and its share of that
 * </pre>
 *
 * Each package uses only what stands below it, and {@code file} and {@code client} do not know each other. What a
 * client holds is in the tables that own it, by client.
 *
 * <p>Sans-IO but for two doors: {@link org.warpnfs.nfs.v4.state.recovery.RecoveryLog}, which must be on stable storage
 * before a state is acknowledged, and the backend's open files, which are held here and closed from here. Time is an
 * argument everywhere, in nanoseconds of one monotonic clock.
 *
 * <p>Knows neither XDR streams, exports nor operations.
 */
@NullMarked
package org.warpnfs.nfs.v4.state;

import org.jspecify.annotations.NullMarked;
