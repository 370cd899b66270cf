package org.warpnfs.nfs.v4.state;

import java.util.Optional;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.locks.ByteRange;
import org.warpnfs.nfs.locks.HeldLock;
import org.warpnfs.nfs.locks.LockAttempt;
import org.warpnfs.nfs.locks.LockedFile;
import org.warpnfs.nfs.locks.OwnerTurns;
import org.warpnfs.nfs.locks.Reservation;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.file.Conflict;
import org.warpnfs.nfs.v4.state.file.FileKey;
import org.warpnfs.nfs.v4.state.file.LockOwner;
import org.warpnfs.nfs.v4.state.file.LockRequest;
import org.warpnfs.nfs.v4.state.file.LockState;
import org.warpnfs.nfs.v4.state.file.LockTable;
import org.warpnfs.nfs.v4.state.file.OpenState;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Opaque;
import org.warpnfs.nfs.v4.xdr.Stateid;

/** Byte-range locks: LOCK, LOCKT, LOCKU. See {@link StateTable}. */
public final class LockStates {
    /** How long a request waits for another one of its owner, and how often, before its client is told to wait. */
    private static final long BUSY_MILLIS = 2000;

    private static final int MAX_TRIES = 2;

    private final StateCore core;

    LockStates(StateCore core) {
        this.core = core;
    }

    /** LOCK. Waits as the file's backend does, if it has locks. */
    public Stateid lock(long nowNanos, Client client, LockRequest request) throws Nfs4Exception, FsException {
        core.settleGrace(nowNanos);
        core.service.settleReclaims(nowNanos);
        if (!core.service.backends().isWanted()) {
            return lockInTurn(nowNanos, client, request);
        }
        LockOwner owner = core.locked(() -> core.locks.lockerOf(client, request));
        Optional<OwnerTurns.Turn> turn = core.service.turnOf(request.target(), owner, BUSY_MILLIS);
        if (turn.isEmpty()) {
            throw Nfs4Exception.of(Nfs4Status.DELAY);
        }
        try (OwnerTurns.Turn _ = turn.get()) {
            return lockInTurn(nowNanos, client, request);
        }
    }

    private Stateid lockInTurn(long nowNanos, Client client, LockRequest request) throws Nfs4Exception, FsException {
        for (int tries = 0; tries < MAX_TRIES; tries++) {
            LockTable.Begun begun = core.afterDepartures(() -> begin(nowNanos, client, request));
            LockState lockState = begun.lockState();
            Reservation reservation = begun.reservation();
            if (lockState == null && reservation != null) {
                var _ = reservation.await(BUSY_MILLIS);
            } else if (lockState != null) {
                LockAttempt attempt = reservation == null ? LockAttempt.settled() : reservation.settle();
                Optional<Stateid> stateid =
                        core.locked(() -> Optional.ofNullable(core.locks.end(lockState, request, attempt)));
                FsException failure = attempt.failure();
                if (stateid.isEmpty() && failure != null) {
                    throw failure;
                }
                return stateid.orElseThrow();
            }
        }
        throw Nfs4Exception.of(Nfs4Status.DELAY);
    }

    private LockTable.Begun begin(long nowNanos, Client client, LockRequest request) throws Nfs4Exception {
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
        core.layouts.requireFenced(nowNanos, open.key());
        return core.locks.begin(open, request);
    }

    /**
     * True if the open behind the stateid of a LOCK was made for that user. True as well if there is no such open, so
     * that {@link #lock} says what is wrong.
     */
    public boolean isOpenedBy(Client client, LockRequest request, Caller caller) {
        return core.locked(() -> {
            try {
                return core.locks.openForLock(client, request).isOpenedBy(caller);
            } catch (Nfs4Exception e) {
                return true;
            }
        });
    }

    /** LOCKT; DENIED if the range cannot be locked now. Waits as the file's backend does, if it has locks. */
    public void testLock(
            long nowNanos, Client client, LockedFile file, Opaque owner, boolean exclusive, ByteRange range)
            throws Nfs4Exception, FsException {
        core.settleGrace(nowNanos);
        core.service.settleReclaims(nowNanos);
        LockOwner locker = new LockOwner(client, owner);
        core.afterDepartures(() -> {
            if (core.grace.isRunning(nowNanos)) {
                throw Nfs4Exception.of(Nfs4Status.GRACE);
            }
            requireNoReclaims(nowNanos);
            // A client with a write delegation grants locks without the server.
            core.requireNoWriter(nowNanos, FileKey.of(file.identity()), client);
            core.expireWhile(
                    nowNanos,
                    () -> core.files.lockConflict(FileKey.of(file.identity()), locker, exclusive, range),
                    Nfs4Status.DENIED);
            return true;
        });
        HeldLock holder = core.service.conflictAtBackend(file, locker, exclusive, range);
        if (holder != null) {
            throw Conflict.of(holder).refusal(Nfs4Status.DENIED);
        }
    }

    /** Clients of another protocol may still have to reclaim what would be taken from them. */
    private void requireNoReclaims(long nowNanos) throws Nfs4Exception {
        if (!core.service.areReclaimsOver(nowNanos)) {
            throw Nfs4Exception.of(Nfs4Status.GRACE);
        }
    }

    /**
     * Removes the client of a lock-owner if its lease has run out, and waits until that is on stable storage. Returns
     * false if its locks still keep others out.
     */
    public boolean expire(long nowNanos, Client client) {
        core.change(() -> {
            if (core.clients.isExpired(client, nowNanos)) {
                core.clients.expire(client);
            }
        });
        return client.isGone() && core.isForgotten(client);
    }

    /** LOCKU. Waits as the file's backend does, if it has locks. */
    public Stateid unlock(Client client, FileKey file, Stateid stateid, ByteRange range) throws Nfs4Exception {
        return core.locked(() -> core.locks.unlock(client, file, stateid, range));
    }
}
