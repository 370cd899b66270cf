package org.warpnfs.nfs.v4.state;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Opaque;
import org.warpnfs.nfs.v4.xdr.Stateid;

/** Byte-range locks and the stateids of those who hold them (RFC 8881 section 9.1). Guarded by the lock of {@link StateTable}. */
final class LockTable {
    private final StateLimits limits;
    private final StateEntries states;
    private final OwnerTable owners;
    private int lockCount;
    private int lockStateCount;

    LockTable(StateLimits limits, StateEntries states, OwnerTable owners) {
        this.limits = limits;
        this.states = states;
        this.owners = owners;
    }

    /** The open below which a LOCK happens: OPENMODE if it does not cover the kind of lock. */
    OpenState openForLock(Client client, LockRequest request) throws Nfs4Exception {
        OpenState open = request.newOwner() != null
                ? states.findOpen(client, request.file(), request.stateid())
                : findLock(client, request.file(), request.stateid()).open;
        int needed = request.exclusive() ? OpenRequest.WRITE : OpenRequest.READ;
        if ((open.access & needed) == 0) {
            throw Nfs4Exception.of(Nfs4Status.OPENMODE);
        }
        return open;
    }

    @Nullable
    Conflict lockHolder(Client client, OpenState open, LockRequest request) throws Nfs4Exception {
        Opaque owner = request.newOwner();
        LockOwner locker = owner != null
                ? new LockOwner(client, owner)
                : findLock(client, request.file(), request.stateid()).owner;
        return conflict(open.file, locker, request.exclusive(), request.range());
    }

    /** Who else holds a lock in the range; null if nobody, or nobody has the file open. */
    @Nullable
    Conflict conflict(@Nullable FileState file, LockOwner owner, boolean exclusive, ByteRange range) {
        ByteRangeLocks.Held<LockOwner> holder = file == null ? null : file.locks.conflict(owner, exclusive, range);
        return holder == null ? null : new Conflict(holder.owner().client(), holder);
    }

    Stateid lock(OpenState open, LockRequest request) throws Nfs4Exception {
        // A lock may split two others in the worst case.
        if (open.file.locks.size() + 2 > limits.maxLocksPerFile() || lockCount + 2 > limits.maxLocks()) {
            throw Nfs4Exception.of(Nfs4Status.DELAY);
        }
        Opaque owner = request.newOwner();
        LockState lockState =
                owner == null ? findLock(open.client, request.file(), request.stateid()) : lockStateOf(open, owner);
        int before = open.file.locks.size();
        open.file.locks.lock(lockState.owner, request.exclusive(), request.range());
        lockCount += open.file.locks.size() - before;
        lockState.seqid = OpenState.nextSeqid(lockState.seqid);
        return states.stateid(lockState);
    }

    private LockState lockStateOf(OpenState open, Opaque owner) throws Nfs4Exception {
        LockState lockState = open.locks.get(owner);
        if (lockState == null) {
            if (open.locks.size() >= limits.maxLockOwnersPerOpen() || lockStateCount >= limits.maxLocks()) {
                throw Nfs4Exception.of(Nfs4Status.DELAY);
            }
            lockState = new LockState(
                    open, owner, states.nextNumber(), owners.entered(StateOwner.Kind.LOCK, open.client, owner));
            open.locks.put(owner, lockState);
            states.enter(lockState);
            lockStateCount++;
        }
        return lockState;
    }

    Stateid unlock(Client client, FileKey file, Stateid stateid, ByteRange range) throws Nfs4Exception {
        LockState lockState = findLock(client, file, stateid);
        // Taking a piece out of the middle makes two of one; twice the limit leaves those who only give back in peace.
        if (lockState.file().locks.size() >= 2 * limits.maxLocksPerFile()) {
            throw Nfs4Exception.of(Nfs4Status.DELAY);
        }
        int before = lockState.file().locks.size();
        lockState.file().locks.unlock(lockState.owner, range);
        lockCount += lockState.file().locks.size() - before;
        lockState.seqid = OpenState.nextSeqid(lockState.seqid);
        return states.stateid(lockState);
    }

    /** FREE_STATEID: LOCKS_HELD while its owner holds any on the file. */
    void free(LockState lockState) throws Nfs4Exception {
        if (lockState.file().locks.holds(lockState.owner)) {
            throw Nfs4Exception.of(Nfs4Status.LOCKS_HELD);
        }
        remove(lockState);
    }

    /** RELEASE_LOCKOWNER: LOCKS_HELD while it holds any. */
    void releaseLockOwner(Client client, Opaque name) throws Nfs4Exception {
        List<LockState> all = new ArrayList<>(1);
        for (OpenState open : client.opens.values()) {
            LockState lockState = open.locks.get(name);
            if (lockState != null) {
                if (open.file.locks.holds(lockState.owner)) {
                    throw Nfs4Exception.of(Nfs4Status.LOCKS_HELD);
                }
                all.add(lockState);
            }
        }
        all.forEach(this::remove);
    }

    /** An open is closed, and its locks with it. */
    void releaseAll(OpenState open) {
        int before = open.file.locks.size();
        for (LockState lockState : open.locks.values()) {
            open.file.locks.unlockAll(lockState.owner);
            states.leave(lockState);
            owners.left(lockState.stateOwner);
        }
        lockCount -= before - open.file.locks.size();
        lockStateCount -= open.locks.size();
        open.locks.clear();
    }

    private void remove(LockState lockState) {
        lockState.open.locks.remove(lockState.owner.owner());
        states.leave(lockState);
        lockStateCount--;
        owners.left(lockState.stateOwner);
    }

    private LockState findLock(Client client, FileKey file, Stateid stateid) throws Nfs4Exception {
        if (states.find(client, file, stateid) instanceof LockState lockState) {
            return lockState;
        }
        throw Nfs4Exception.of(Nfs4Status.BAD_STATEID);
    }

    int count() {
        return lockCount;
    }
}
