package org.warpnfs.nfs.v4.state;

import org.warpnfs.nfs.locks.ByteRange;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.file.FileKey;
import org.warpnfs.nfs.v4.state.file.LockOwner;
import org.warpnfs.nfs.v4.state.file.LockRequest;
import org.warpnfs.nfs.v4.state.file.OpenState;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Opaque;
import org.warpnfs.nfs.v4.xdr.Stateid;

/** Byte-range locks: LOCK, LOCKT, LOCKU. See {@link StateTable}. */
public final class LockStates {
    private final StateCore core;

    LockStates(StateCore core) {
        this.core = core;
    }

    /** LOCK. */
    public Stateid lock(long nowNanos, Client client, LockRequest request) throws Nfs4Exception {
        core.settleGrace(nowNanos);
        return core.locked(() -> {
            core.requirePresent(client);
            core.recovery.require(nowNanos, client, request.reclaim());
            if (!request.reclaim()) {
                requireNoReclaims(nowNanos);
            }
            OpenState open = core.locks.openForLock(client, request);
            try {
                core.expireWhile(nowNanos, () -> core.locks.lockHolder(client, open, request), Nfs4Status.DENIED);
            } catch (Nfs4Exception e) {
                if (e.status() == Nfs4Status.DENIED) {
                    core.locks.stand(open, request);
                }
                throw e;
            }
            return core.locks.lock(open, request);
        });
    }

    /** LOCKT; DENIED if the range cannot be locked now. */
    public void testLock(long nowNanos, Client client, FileKey file, Opaque owner, boolean exclusive, ByteRange range)
            throws Nfs4Exception {
        core.settleGrace(nowNanos);
        core.change(() -> {
            if (core.grace.isRunning(nowNanos)) {
                throw Nfs4Exception.of(Nfs4Status.GRACE);
            }
            requireNoReclaims(nowNanos);
            core.expireWhile(
                    nowNanos,
                    () -> core.files.lockConflict(file, new LockOwner(client, owner), exclusive, range),
                    Nfs4Status.DENIED);
        });
    }

    /** Clients of another protocol may still have to reclaim what would be taken from them. */
    private void requireNoReclaims(long nowNanos) throws Nfs4Exception {
        if (core.service.isReclaiming(nowNanos)) {
            throw Nfs4Exception.of(Nfs4Status.GRACE);
        }
    }

    /** Removes the client of a lock-owner if its lease has run out. Returns false if it stays. */
    public boolean expire(long nowNanos, Client client) {
        return core.locked(() -> {
            if (client.isGone() || !core.clients.isExpired(client, nowNanos)) {
                return client.isGone();
            }
            core.clients.expire(client);
            return true;
        });
    }

    /** LOCKU. */
    public Stateid unlock(Client client, FileKey file, Stateid stateid, ByteRange range) throws Nfs4Exception {
        return core.locked(() -> core.locks.unlock(client, file, stateid, range));
    }
}
