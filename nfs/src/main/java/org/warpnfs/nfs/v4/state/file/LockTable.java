package org.warpnfs.nfs.v4.state.file;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.locks.ByteRange;
import org.warpnfs.nfs.locks.HeldLock;
import org.warpnfs.nfs.locks.LockAttempt;
import org.warpnfs.nfs.locks.LockService;
import org.warpnfs.nfs.locks.LockWaiter;
import org.warpnfs.nfs.locks.LocksBusyException;
import org.warpnfs.nfs.locks.Reservation;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.core.Shares;
import org.warpnfs.nfs.v4.state.core.StateLimits;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Opaque;
import org.warpnfs.nfs.v4.xdr.Stateid;

/** Byte-range locks and the stateids of their owners (RFC 8881, section 9.1). Guarded by the lock of the state. */
public final class LockTable {
    private final StateLimits limits;
    private final StateEntries states;
    private final OwnerTable owners;
    private final Shares shares;
    private final Shares stateShares;
    private final LockService service;
    private final Consumer<Runnable> releases;
    private final Map<Client, Held> byClient = new HashMap<>();

    /** Counts of one client, over all files. */
    private static final class Held {
        /** Number of byte ranges. */
        int locks;

        int stateids;
        /** Number of these lock stateids that an administrator has revoked and the client has not freed yet. */
        int revoked;
    }

    /** Who waits by an open, and is told of its turn if there is a way. */
    private record Waiter(
            OpenState open,
            LockOwner owner,
            boolean exclusive,
            @Nullable Consumer<LockOwner> turn) implements LockWaiter {
        @Override
        public void granted() {
            if (turn != null) {
                turn.accept(owner);
            }
        }

        @Override
        public boolean isTold() {
            return turn != null;
        }
    }

    /**
     * @param states everything that has a stateid
     * @param service has the byte ranges of all protocols
     * @param releases runs what backends have still to release, when the lock of the state is free
     */
    public LockTable(
            StateLimits limits,
            StateEntries states,
            OwnerTable owners,
            LockService service,
            Consumer<Runnable> releases) {
        this.service = service;
        this.releases = releases;
        this.limits = limits;
        this.states = states;
        this.owners = owners;
        this.shares = new Shares(limits.maxLocks());
        this.stateShares = new Shares(limits.maxLocks());
    }

    /** The open that a LOCK belongs to; OPENMODE if it does not permit this kind of lock. */
    public OpenState openForLock(Client client, LockRequest request) throws Nfs4Exception {
        OpenState open = request.newOwner() != null
                ? states.findOpen(client, request.file(), request.stateid())
                : findLock(client, request.file(), request.stateid()).open;
        int needed = request.exclusive() ? OpenRequest.WRITE : OpenRequest.READ;
        if ((open.access & needed) == 0) {
            throw Nfs4Exception.of(Nfs4Status.OPENMODE);
        }
        return open;
    }

    /** A conflicting lock of another owner in the range of a LOCK; null if there is none. */
    @Nullable
    public Conflict lockHolder(Client client, OpenState open, LockRequest request) throws Nfs4Exception {
        return conflict(open.key(), lockerOf(client, request), request.exclusive(), request.range());
    }

    /** A conflicting lock of another owner in the range; null if there is none. */
    @Nullable
    Conflict conflict(FileKey file, LockOwner owner, boolean exclusive, ByteRange range) throws Nfs4Exception {
        try {
            HeldLock holder = service.conflict(file.identity(), owner, exclusive, range);
            return holder == null ? null : Conflict.of(holder);
        } catch (LocksBusyException e) {
            throw Nfs4Exception.of(Nfs4Status.DELAY);
        }
    }

    /**
     * A LOCK that has begun.
     *
     * @param lockState what its owner has; null if another request of the owner has to end first
     * @param attempt GRANTED, RESERVED or BUSY
     */
    public record Begun(@Nullable LockState lockState, LockAttempt attempt) {
        /** What has to be settled, or waited for, without the lock; null if nothing. */
        public @Nullable Reservation reservation() {
            return attempt.reservation();
        }
    }

    /**
     * Begins to lock a range; SERVERFAULT, in NFSv4.0 RESOURCE, if the client has used up its share, and DENIED if a
     * client of another protocol was faster.
     */
    public Begun begin(OpenState open, LockRequest request) throws Nfs4Exception {
        // In the worst case a lock splits another one, and one lock becomes three.
        if (locksOf(open.client) + 2 > limits.maxLocksPerClient() || !shares.hasRoomFor(open.client.address(), 2)) {
            throw exhausted(open.client);
        }
        Opaque owner = request.newOwner();
        LockState lockState =
                owner == null ? findLock(open.client, request.file(), request.stateid()) : lockStateOf(open, owner);
        try {
            LockAttempt attempt = take(lockState, request);
            count(lockState.client(), attempt.more());
            return new Begun(attempt.outcome() == LockAttempt.Outcome.BUSY ? null : lockState, attempt);
        } finally {
            removeIfUnused(lockState);
        }
    }

    /**
     * Ends a LOCK that has begun, with what became of it at the backend.
     *
     * @return the stateid; null if it failed at the backend with an error for the client
     */
    public @Nullable Stateid end(LockState lockState, LockRequest request, LockAttempt attempt) throws Nfs4Exception {
        count(lockState.client(), attempt.more());
        try {
            switch (attempt.outcome()) {
                case GRANTED -> {
                    lockState.seqid = OpenState.nextSeqid(lockState.seqid);
                    return states.stateid(lockState);
                }
                case FAILED -> {
                    requireRoom(lockState.client(), attempt);
                    return null;
                }
                case CANCELLED ->
                    throw Nfs4Exception.of(lockState.revoked ? Nfs4Status.ADMIN_REVOKED : Nfs4Status.BAD_STATEID);
                default -> {
                    HeldLock holder = attempt.holder();
                    if (request.reclaim() || holder == null) {
                        // Somebody else has taken the lock while this server was away.
                        throw Nfs4Exception.of(request.reclaim() ? Nfs4Status.RECLAIM_CONFLICT : Nfs4Status.DELAY);
                    }
                    throw Conflict.of(holder).refusal(Nfs4Status.DENIED);
                }
            }
        } finally {
            removeIfUnused(lockState);
        }
    }

    private void requireRoom(Client client, LockAttempt attempt) throws Nfs4Exception {
        FsException failure = attempt.failure();
        if (failure == null || failure.error() == FsError.NO_LOCKS || failure.error() == FsError.NOT_SUPPORTED) {
            throw exhausted(client);
        }
    }

    /** Removes a lock stateid that no client has got. */
    private void removeIfUnused(LockState lockState) {
        if (lockState.seqid == 0
                && rangeCountOf(lockState) == 0
                && lockState.open.locks.get(lockState.owner.owner()) == lockState) {
            remove(lockState);
        }
    }

    /**
     * Puts a request that is denied in line, if its client waits.
     *
     * @throws Nfs4Exception DEADLOCK if its owner would wait for itself. Linux has an owner for each file, so this is
     *     found between ranges of one file
     */
    public void stand(OpenState open, LockRequest request) throws Nfs4Exception {
        if (request.waits()) {
            LockOwner owner = lockerOf(open.client, request);
            if (service.wouldWaitForItself(request.target(), owner, request.exclusive(), request.range())) {
                throw Nfs4Exception.of(Nfs4Status.DEADLOCK);
            }
            service.stand(
                    request.target(),
                    owner,
                    request.exclusive(),
                    request.range(),
                    open.client.address(),
                    new Waiter(open, owner, request.exclusive(), request.turn()));
        }
    }

    /** The owner that a LOCK is for. */
    public LockOwner lockerOf(Client client, LockRequest request) throws Nfs4Exception {
        Opaque owner = request.newOwner();
        return owner != null ? new LockOwner(client, owner) : findLock(client, request.file(), request.stateid()).owner;
    }

    private LockAttempt take(LockState lockState, LockRequest request) throws Nfs4Exception {
        LockAttempt attempt;
        try {
            LockOwner owner = lockState.owner;
            attempt = request.waits()
                    ? service.lockInTurn(
                            request.target(),
                            owner,
                            request.exclusive(),
                            request.range(),
                            owner.client().address(),
                            new Waiter(lockState.open, owner, request.exclusive(), request.turn()))
                    : service.lock(request.target(), owner, request.exclusive(), request.range());
        } catch (LocksBusyException e) {
            throw Nfs4Exception.of(Nfs4Status.DELAY);
        }
        HeldLock holder = attempt.holder();
        if (holder != null) {
            throw Conflict.of(holder).refusal(Nfs4Status.DENIED);
        }
        return attempt;
    }

    private LockState lockStateOf(OpenState open, Opaque owner) throws Nfs4Exception {
        LockState lockState = open.locks.get(owner);
        if (lockState != null && lockState.revoked) {
            // The client locks again by its open, so it need not free the revoked stateid.
            remove(lockState);
            lockState = null;
        }
        if (lockState == null) {
            if (open.locks.size() >= limits.maxLockOwnersPerOpen()
                    || stateidsOf(open.client) >= limits.maxLocksPerClient()
                    || !stateShares.hasRoomFor(open.client.address(), 1)) {
                throw exhausted(open.client);
            }
            long number = states.nextNumber();
            lockState = new LockState(
                    open, owner, number, owners.entered(StateOwner.Kind.LOCK, open.client, owner, number));
            open.locks.put(owner, lockState);
            states.enter(lockState);
            stateShares.take(open.client.address(), 1);
            byClient.computeIfAbsent(open.client, _ -> new Held()).stateids++;
        }
        return lockState;
    }

    /** LOCKU. Returns the new stateid. */
    public Stateid unlock(Client client, FileKey file, Stateid stateid, ByteRange range) throws Nfs4Exception {
        LockState lockState = findLock(client, file, stateid);
        // An unlock in the middle splits a lock in two. Twice the limit never hinders clients that only unlock.
        if (locksOf(client) >= 2 * limits.maxLocksPerClient()) {
            throw exhausted(client);
        }
        count(client, service.unlock(file.identity(), lockState.owner, range, releases));
        lockState.seqid = OpenState.nextSeqid(lockState.seqid);
        return states.stateid(lockState);
    }

    private void count(Client client, int more) {
        Held held = byClient.get(client);
        if (held != null) {
            held.locks += more;
        }
        if (!client.isGone()) {
            shares.take(client.address(), more);
        }
    }

    /** An error that the client does not repeat. A client that repeats the call would find no more room. */
    private Nfs4Exception exhausted(Client client) {
        shares.refuse();
        return Nfs4Exception.of(client.isSessionless() ? Nfs4Status.RESOURCE : Nfs4Status.SERVERFAULT);
    }

    /** FREE_STATEID; LOCKS_HELD while its owner has locks on the file. */
    void free(LockState lockState) throws Nfs4Exception {
        if (rangeCountOf(lockState) > 0) {
            throw Nfs4Exception.of(Nfs4Status.LOCKS_HELD);
        }
        release(lockState);
    }

    /** Its client has done with the owner, and does not wait by it any more. */
    private void release(LockState lockState) {
        giveUp(lockState.open, waiter -> waiter.owner.equals(lockState.owner));
        remove(lockState);
    }

    /** Revokes the lock stateid of that number. Returns false if there is none, or it was revoked before. */
    public boolean revoke(long number) {
        if (states.byNumber(number) instanceof LockState lockState
                && !lockState.revoked
                && !lockState.client().isGone()) {
            revoke(lockState);
            return true;
        }
        return false;
    }

    /**
     * Revokes all locks of one lock stateid. The stateid stays and gets ADMIN_REVOKED until the client frees it, closes
     * the file, or locks again (RFC 8881, section 8.4.3).
     */
    private void revoke(LockState lockState) {
        count(lockState.client(), service.unlockAll(lockState.key().identity(), lockState.owner, releases));
        lockState.revoked = true;
        Held held = byClient.get(lockState.client());
        if (held != null) {
            held.revoked++;
        }
    }

    /** RELEASE_LOCKOWNER; LOCKS_HELD while the owner has any. */
    public void releaseLockOwner(Client client, Opaque name) throws Nfs4Exception {
        StateOwner owner = owners.lockOwner(client, name);
        if (owner == null) {
            // It may wait for its first lock.
            giveUp(new LockOwner(client, name));
            return;
        }
        List<LockState> held = new ArrayList<>();
        for (long number : owner.states) {
            if (states.byNumber(number) instanceof LockState lockState) {
                held.add(lockState);
            }
        }
        for (LockState lockState : held) {
            if (rangeCountOf(lockState) > 0) {
                throw Nfs4Exception.of(Nfs4Status.LOCKS_HELD);
            }
        }
        giveUp(new LockOwner(client, name));
        held.forEach(this::remove);
    }

    /** Releases all locks of an open that is closed. Nobody waits for a lock by it any more. */
    void releaseAll(OpenState open) {
        clear(open, Integer.MAX_VALUE);
        giveUp(open, _ -> true);
    }

    /** Those who wait by an open for what it no longer permits give up. */
    void downgraded(OpenState open) {
        giveUp(open, waiter -> (open.access & (waiter.exclusive ? OpenRequest.WRITE : OpenRequest.READ)) == 0);
    }

    private void giveUp(OpenState open, Predicate<Waiter> which) {
        service.giveUp(
                open.key().identity(),
                waiting -> waiting instanceof Waiter waiter && waiter.open == open && which.test(waiter));
    }

    private void giveUp(LockOwner owner) {
        service.giveUpAll(owner.address(), owner::equals);
    }

    /** A client that has no way to ask any more, or for now, does not wait for locks. */
    public void giveUp(Client client) {
        service.giveUpAll(client.address(), locker -> locker instanceof LockOwner owner && owner.client() == client);
    }

    /**
     * Frees at most {@code most} lock stateids of an open, with the locks of their owners. Returns how many it freed.
     */
    int clear(OpenState open, int most) {
        int done = 0;
        for (Iterator<LockState> all = open.locks.values().iterator(); done < most && all.hasNext(); done++) {
            LockState lockState = all.next();
            all.remove();
            count(open.client, service.unlockAll(open.key().identity(), lockState.owner, releases));
            left(lockState);
        }
        return done;
    }

    /** Called when a client is removed. Its locks no longer count. */
    public void depart(Client client) {
        giveUp(client);
        shares.giveBack(client.address(), locksOf(client));
        stateShares.giveBack(client.address(), stateidsOf(client));
    }

    private void remove(LockState lockState) {
        lockState.open.locks.remove(lockState.owner.owner());
        left(lockState);
    }

    private void left(LockState lockState) {
        states.leave(lockState);
        Client client = lockState.client();
        byClient.computeIfPresent(client, (_, held) -> {
            held.revoked -= lockState.revoked ? 1 : 0;
            return --held.stateids == 0 ? null : held;
        });
        if (!client.isGone()) {
            stateShares.giveBack(client.address(), 1);
        }
        owners.left(lockState.stateOwner, lockState.number);
    }

    private LockState findLock(Client client, FileKey file, Stateid stateid) throws Nfs4Exception {
        if (states.find(client, file, stateid) instanceof LockState lockState) {
            return lockState;
        }
        throw Nfs4Exception.of(Nfs4Status.BAD_STATEID);
    }

    /** The byte ranges of a lock stateid, at most {@code most}. */
    List<HeldLock> rangesOf(LockState lockState, int most) {
        return service.of(lockState.key().identity(), lockState.owner, most);
    }

    /** Number of byte ranges of a lock stateid. */
    int rangeCountOf(LockState lockState) {
        return service.countOf(lockState.key().identity(), lockState.owner);
    }

    /** True if anyone has locked a range of the file or waits for one. */
    boolean isLocked(FileKey file) {
        return service.isUsed(file.identity());
    }

    /** True if clients of another protocol may still reclaim locks. */
    boolean mayBeReclaimed(long nowNanos) {
        return !service.areReclaimsOver(nowNanos);
    }

    /** Number of byte ranges that a client has locked, over all files. */
    public int locksOf(Client client) {
        Held held = byClient.get(client);
        return held == null ? 0 : held.locks;
    }

    private int stateidsOf(Client client) {
        Held held = byClient.get(client);
        return held == null ? 0 : held.stateids;
    }

    /** Number of lock stateids of a client that an administrator has revoked and the client has not freed yet. */
    public int revokedOf(Client client) {
        Held held = byClient.get(client);
        return held == null ? 0 : held.revoked;
    }

    /** How often a client was refused a lock because there was no room. */
    public long refused() {
        return shares.refused();
    }

    /** Number of lock stateids of clients that were not removed. */
    public int stateCount() {
        return (int) stateShares.taken();
    }

    /** Number of byte ranges locked by clients that were not removed. */
    public int count() {
        return (int) shares.taken();
    }
}
