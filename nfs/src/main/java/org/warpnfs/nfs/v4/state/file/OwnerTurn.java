package org.warpnfs.nfs.v4.state.file;

import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.xdr.OpCode;
import org.warpnfs.nfs.v4.xdr.Opaque;

/**
 * The turn of one request of an owner. Either the request is executed and the turn then ended by
 * {@link OwnerTurns#end}, or the request is a repetition, and the turn has the reply.
 */
public final class OwnerTurn {
    private final StateOwner owner;
    private final int seqid;
    private final OpCode code;
    private final @Nullable OwnerReply repeated;

    /** In a LOCK that introduces a lock-owner: this owner, whose seqid advances with that of the open-owner. */
    private @Nullable Opaque lockOwner;

    private int lockSeqid;

    OwnerTurn(StateOwner owner, int seqid, OpCode code, @Nullable OwnerReply repeated) {
        this.owner = owner;
        this.seqid = seqid;
        this.code = code;
        this.repeated = repeated;
    }

    OwnerTurn withLockOwner(Opaque name, int itsSeqid) {
        lockOwner = name;
        lockSeqid = itsSeqid;
        return this;
    }

    public OpCode code() {
        return code;
    }

    /** The reply to repeat; null if the request is to be executed. */
    public @Nullable OwnerReply repeated() {
        return repeated;
    }

    /** The owner's client. */
    public Client client() {
        return owner.client;
    }

    StateOwner owner() {
        return owner;
    }

    int seqid() {
        return seqid;
    }

    @Nullable
    Opaque lockOwner() {
        return lockOwner;
    }

    int lockSeqid() {
        return lockSeqid;
    }
}
