package org.warpnfs.nfs.v4.state.file;

import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/**
 * What stands in the way of an open, a lock or I/O.
 *
 * @param holder whose it is
 * @param lock the lock, where it is one
 */
public record Conflict(Client holder, ByteRangeLocks.@Nullable Held<LockOwner> lock) {
    /** What whoever is in the wrong is answered: the status, of a lock with what LOCK4denied says of it. */
    public Nfs4Exception refusal(Nfs4Status status) {
        return lock == null ? Nfs4Exception.of(status) : new LockDenied(lock);
    }
}
