package org.warpnfs.nfs.v4.state;

import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;
import org.warpnfs.nfs.v4.xdr.Opaque;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * Open-owners and lock-owners of NFSv4.0, and the order of their requests: what such clients have in place of a session's slots.
 * See {@link StateTable}.
 */
public final class OwnerStates {
    private final StateCore core;

    OwnerStates(StateCore core) {
        this.core = core;
    }

    /**
     * The turn for an OPEN. What an owner had open that never confirmed is closed: its OPEN came late and was not meant (RFC 7530
     * section 9.1.11).
     */
    public OwnerTurn beginOpen(Client client, Opaque name, int seqid) throws Nfs4Exception {
        return core.locked(() -> {
            core.requirePresent(client);
            StateOwner owner = client.openOwners.get(name);
            if (owner != null && !owner.confirmed && !owner.busy) {
                core.files.closeAllOf(owner);
                core.owners.forget(owner);
                owner = null;
            }
            if (owner == null) {
                owner = core.owners.addOpenOwner(client, name, seqid);
            }
            return core.owners.begin(owner, seqid, OpCode.OPEN);
        });
    }

    /** The turn for what names a state: OPEN_CONFIRM, OPEN_DOWNGRADE, CLOSE, LOCKU, and LOCK by a lock stateid. */
    public OwnerTurn begin(Stateid stateid, int seqid, OpCode code) throws Nfs4Exception {
        return core.locked(() -> core.owners.begin(ownerOf(stateid, code), seqid, code));
    }

    /** The turn of an open-owner for a LOCK that brings a lock-owner (open_to_lock_owner4). */
    public OwnerTurn beginLock(Stateid open, int openSeqid, Opaque lockOwner, int lockSeqid) throws Nfs4Exception {
        return core.locked(() -> {
            OwnerTurn turn = core.owners.begin(ownerOf(open, OpCode.LOCK), openSeqid, OpCode.LOCK);
            if (turn.repeated() != null) {
                return turn;
            }
            StateOwner known = turn.client().lockOwners.get(lockOwner);
            if (known != null && (known.busy || lockSeqid != known.seqid + 1)) {
                turn.owner().busy = false;
                throw Nfs4Exception.of(known.busy ? Nfs4Status.RESOURCE : Nfs4Status.BAD_SEQID);
            }
            return turn.withLockOwner(lockOwner, lockSeqid);
        });
    }

    private StateOwner ownerOf(Stateid stateid, OpCode code) throws Nfs4Exception {
        StateOwner owner = core.states.ownerOf(stateid);
        if (owner == null && code == OpCode.CLOSE) {
            owner = core.owners.closerOf(stateid.number());
        }
        boolean unconfirmed = owner != null && owner.kind == StateOwner.Kind.OPEN && !owner.confirmed;
        if (owner == null || (unconfirmed && code != OpCode.OPEN_CONFIRM)) {
            throw Nfs4Exception.of(Nfs4Status.BAD_STATEID);
        }
        return owner;
    }

    /** The turn is over; its answer is kept unless the status is one that moves no seqid (section 9.1.7). */
    public void end(long nowNanos, OwnerTurn turn, OwnerReply reply) {
        core.tell(() -> core.owners.end(nowNanos, turn, movesSeqid(reply.status()) ? reply : null));
    }

    private static boolean movesSeqid(Nfs4Status status) {
        return switch (status) {
            case STALE_CLIENTID, STALE_STATEID, BAD_STATEID, BAD_SEQID, BADXDR, RESOURCE, NOFILEHANDLE, MOVED -> false;
            default -> true;
        };
    }

    /** True if an OPEN of that owner must be confirmed. */
    public boolean mustConfirm(OwnerTurn turn) {
        return core.look(() -> !turn.owner().confirmed);
    }

    /** OPEN_CONFIRM: BAD_STATEID if there is nothing to confirm. */
    public Stateid confirm(Client client, FileKey file, Stateid stateid) throws Nfs4Exception {
        return core.locked(() -> core.files.confirm(client, file, stateid));
    }

    /** A reclaimed open needs no confirmation: who else would know of it. */
    public void confirm(OwnerTurn turn) {
        core.tell(() -> turn.owner().confirmed = true);
    }

    /** RELEASE_LOCKOWNER: LOCKS_HELD while it holds any. */
    public void releaseLockOwner(Client client, Opaque name) throws Nfs4Exception {
        core.change(() -> core.locks.releaseLockOwner(client, name));
    }
}
