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
 * Open-owners and lock-owners of NFSv4.0, and the order of their requests: what such clients have in place of a
 * session's slots. See {@link StateTable}.
 */
public final class OwnerStates {
    private final StateCore core;
    private final OwnerTurns turns;

    OwnerStates(StateCore core) {
        this.core = core;
        this.turns = new OwnerTurns(core.states, core.owners, core.files);
    }

    /**
     * The turn for an OPEN. What an owner had open that never confirmed is closed: its OPEN came late and was not meant
     * (RFC 7530, section 9.1.11).
     */
    public OwnerTurn beginOpen(Client client, Opaque name, int seqid) throws Nfs4Exception {
        return core.locked(() -> {
            core.requirePresent(client);
            return turns.beginOpen(client, name, seqid);
        });
    }

    /** The turn for what names a state: OPEN_CONFIRM, OPEN_DOWNGRADE, CLOSE, LOCKU, and LOCK by a lock stateid. */
    public OwnerTurn begin(Stateid stateid, int seqid, OpCode code) throws Nfs4Exception {
        return core.locked(() -> turns.begin(stateid, seqid, code));
    }

    /** The turn of an open-owner for a LOCK that brings a lock-owner (open_to_lock_owner4). */
    public OwnerTurn beginLock(Stateid open, int openSeqid, Opaque lockOwner, int lockSeqid) throws Nfs4Exception {
        return core.locked(() -> turns.beginLock(open, openSeqid, lockOwner, lockSeqid));
    }

    /** The turn is over; its answer is kept unless the status is one that moves no seqid (section 9.1.7). */
    public void end(long nowNanos, OwnerTurn turn, OwnerReply reply) {
        core.change(() -> turns.end(nowNanos, turn, reply));
    }

    /** True if an OPEN of that owner must be confirmed. */
    public boolean mustConfirm(OwnerTurn turn) {
        return core.locked(() -> turns.mustConfirm(turn));
    }

    /** OPEN_CONFIRM: BAD_STATEID if there is nothing to confirm. */
    public Stateid confirm(Client client, FileKey file, Stateid stateid) throws Nfs4Exception {
        return core.locked(() -> core.files.confirm(client, file, stateid));
    }

    /** A reclaimed open needs no confirmation: who else would know of it. */
    public void confirm(OwnerTurn turn) {
        core.change(() -> turns.confirm(turn));
    }

    /** RELEASE_LOCKOWNER: LOCKS_HELD while it holds any. */
    public void releaseLockOwner(Client client, Opaque name) throws Nfs4Exception {
        core.change(() -> core.locks.releaseLockOwner(client, name));
    }
}
