package org.warpnfs.nfs.v4.state.file;

import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;
import org.warpnfs.nfs.v4.xdr.Opaque;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * Finds the owner whose turn a request of NFSv4.0 takes: the owner that the request names, or the owner of the state
 * that it names. See {@link OwnerTable}. Guarded by the lock of the state.
 */
public final class OwnerTurns {
    private final StateEntries states;
    private final OwnerTable owners;
    private final FileStates files;

    /** @param files closes the opens of owners that never confirmed */
    public OwnerTurns(StateEntries states, OwnerTable owners, FileStates files) {
        this.states = states;
        this.owners = owners;
        this.files = files;
    }

    /**
     * The turn for an OPEN. If the owner has opens but never confirmed, they are closed: they come from an old OPEN
     * that was delayed (RFC 7530, section 9.1.11).
     */
    public OwnerTurn beginOpen(Client client, Opaque name, int seqid) throws Nfs4Exception {
        StateOwner owner = owners.openOwner(client, name);
        if (owner != null && !owner.confirmed && !owner.busy) {
            files.closeAllOf(owner);
            owners.forget(owner);
            owner = null;
        }
        if (owner == null) {
            owner = owners.addOpenOwner(client, name, seqid);
        }
        return owners.begin(owner, seqid, OpCode.OPEN);
    }

    /**
     * The turn for an operation that names a state: OPEN_CONFIRM, OPEN_DOWNGRADE, CLOSE, LOCKU, and LOCK by a lock
     * stateid.
     */
    public OwnerTurn begin(Stateid stateid, int seqid, OpCode code) throws Nfs4Exception {
        return owners.begin(ownerOf(stateid, code), seqid, code);
    }

    /** The turn of an open-owner for a LOCK that introduces a lock-owner (open_to_lock_owner4). */
    public OwnerTurn beginLock(Stateid open, int openSeqid, Opaque lockOwner, int lockSeqid) throws Nfs4Exception {
        OwnerTurn turn = owners.begin(ownerOf(open, OpCode.LOCK), openSeqid, OpCode.LOCK);
        if (turn.repeated() != null) {
            return turn;
        }
        StateOwner known = owners.lockOwner(turn.client(), lockOwner);
        if (known != null && (known.busy || lockSeqid != known.seqid + 1)) {
            turn.owner().busy = false;
            throw Nfs4Exception.of(known.busy ? Nfs4Status.RESOURCE : Nfs4Status.BAD_SEQID);
        }
        return turn.withLockOwner(lockOwner, lockSeqid);
    }

    private StateOwner ownerOf(Stateid stateid, OpCode code) throws Nfs4Exception {
        StateOwner owner = states.ownerOf(stateid);
        if (owner == null && code == OpCode.CLOSE) {
            owner = owners.closerOf(stateid.number());
        }
        boolean unconfirmed = owner != null && owner.kind == StateOwner.Kind.OPEN && !owner.confirmed;
        if (owner == null || (unconfirmed && code != OpCode.OPEN_CONFIRM)) {
            throw Nfs4Exception.of(Nfs4Status.BAD_STATEID);
        }
        return owner;
    }

    /** Ends a turn. The reply is kept, unless its status does not advance the seqid (section 9.1.7). */
    public void end(long nowNanos, OwnerTurn turn, OwnerReply reply) {
        owners.end(nowNanos, turn, movesSeqid(reply.status()) ? reply : null);
    }

    private static boolean movesSeqid(Nfs4Status status) {
        return switch (status) {
            case STALE_CLIENTID, STALE_STATEID, BAD_STATEID, BAD_SEQID, BADXDR, RESOURCE, NOFILEHANDLE, MOVED -> false;
            default -> true;
        };
    }

    /** True if an OPEN of that owner must be confirmed. */
    public boolean mustConfirm(OwnerTurn turn) {
        return !turn.owner().confirmed;
    }

    /**
     * Confirms an owner whose open was reclaimed. No other confirmation is needed, since only the client knows of the
     * open.
     */
    public void confirm(OwnerTurn turn) {
        turn.owner().confirmed = true;
    }
}
