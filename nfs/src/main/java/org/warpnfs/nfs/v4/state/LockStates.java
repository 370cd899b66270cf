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
            OpenState open = core.locks.openForLock(client, request);
            core.expireWhile(nowNanos, () -> core.locks.lockHolder(client, open, request), Nfs4Status.DENIED);
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
            core.expireWhile(
                    nowNanos,
                    () -> core.files.lockConflict(file, new LockOwner(client, owner), exclusive, range),
                    Nfs4Status.DENIED);
        });
    }

    /** LOCKU. */
    public Stateid unlock(Client client, FileKey file, Stateid stateid, ByteRange range) throws Nfs4Exception {
        return core.locked(() -> core.locks.unlock(client, file, stateid, range));
    }
}
