package org.warpnfs.nfs.v4.state.file;

import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.locks.HeldLock;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/**
 * State that conflicts with an open, a lock or I/O.
 *
 * @param holder client that has the state; null if it is a client of another protocol
 * @param lock the lock, if it is one
 */
public record Conflict(@Nullable Client holder, @Nullable HeldLock lock) {
    /** A lock, of a client of NFSv4 or of anybody else. */
    public static Conflict of(HeldLock lock) {
        return new Conflict(lock.owner() instanceof LockOwner owner ? owner.client() : null, lock);
    }

    /** The error that the conflicting request gets: the status and, for a lock, its LOCK4denied. */
    public Nfs4Exception refusal(Nfs4Status status) {
        return lock == null ? Nfs4Exception.of(status) : new LockDenied(lock);
    }
}
