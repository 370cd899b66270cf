package org.warpnfs.nfs.v4.state;

import org.jspecify.annotations.Nullable;

/**
 * What stands in the way of an open, a lock or I/O.
 *
 * @param holder whose it is
 * @param lock the lock, where it is one
 */
record Conflict(Client holder, ByteRangeLocks.@Nullable Held<LockOwner> lock) {}
