package org.warpnfs.nfs.v4.state;

import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.file.FileKey;
import org.warpnfs.nfs.v4.state.file.OwnerReply;
import org.warpnfs.nfs.v4.state.file.OwnerTurn;
import org.warpnfs.nfs.v4.state.file.OwnerTurns;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.OpCode;
import org.warpnfs.nfs.v4.xdr.Opaque;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * Open-owners and lock-owners of NFSv4.0, and the order of their requests, which takes the place of a session's slots.
 * See {@link StateTable}.
 */
public final class OwnerStates {
    private final StateCore core;
    private final OwnerTurns turns;

    OwnerStates(StateCore core) {
        this.core = core;
        this.turns = new OwnerTurns(core.states, core.owners, core.files);
    }

    /**
     * The turn for an OPEN. If the owner has opens but never confirmed, they are closed: they come from an old OPEN
     * that was delayed (RFC 7530, section 9.1.11).
     */
    public OwnerTurn beginOpen(Client client, Opaque name, int seqid) throws Nfs4Exception {
        return core.locked(() -> {
            core.requirePresent(client);
            return turns.beginOpen(client, name, seqid);
        });
    }

    /**
     * The turn for an operation that names a state: OPEN_CONFIRM, OPEN_DOWNGRADE, CLOSE, LOCKU, and LOCK by a lock
     * stateid.
     */
    public OwnerTurn begin(Stateid stateid, int seqid, OpCode code) throws Nfs4Exception {
        return core.locked(() -> turns.begin(stateid, seqid, code));
    }

    /** The turn of an open-owner for a LOCK that introduces a lock-owner (open_to_lock_owner4). */
    public OwnerTurn beginLock(Stateid open, int openSeqid, Opaque lockOwner, int lockSeqid) throws Nfs4Exception {
        return core.locked(() -> turns.beginLock(open, openSeqid, lockOwner, lockSeqid));
    }

    /** Ends a turn. The reply is kept, unless its status is one that does not advance the seqid (section 9.1.7). */
    public void end(long nowNanos, OwnerTurn turn, OwnerReply reply) {
        core.change(() -> turns.end(nowNanos, turn, reply));
    }

    /** True if an OPEN of that owner must be confirmed. */
    public boolean mustConfirm(OwnerTurn turn) {
        return core.locked(() -> turns.mustConfirm(turn));
    }

    /** OPEN_CONFIRM; BAD_STATEID if there is nothing to confirm. */
    public Stateid confirm(Client client, FileKey file, Stateid stateid) throws Nfs4Exception {
        return core.locked(() -> core.files.confirm(client, file, stateid));
    }

    /**
     * Confirms an owner whose open was reclaimed. No other confirmation is needed, since only the client knows of the
     * open.
     */
    public void confirm(OwnerTurn turn) {
        core.change(() -> turns.confirm(turn));
    }

    /** RELEASE_LOCKOWNER; LOCKS_HELD while the owner holds any. */
    public void releaseLockOwner(Client client, Opaque name) throws Nfs4Exception {
        core.change(() -> core.locks.releaseLockOwner(client, name));
    }
}
