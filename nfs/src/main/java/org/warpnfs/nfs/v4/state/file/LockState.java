package org.warpnfs.nfs.v4.state.file;

import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.xdr.Opaque;

/** The byte-range locks of one lock-owner on one file (RFC 8881, section 9.1). Guarded by the lock of the state. */
public final class LockState implements StateEntry {
    final OpenState open;
    final LockOwner owner;
    final long number;
    int seqid;
    /** True if an administrator has revoked its locks and the client has not freed it yet (RFC 8881, section 8.4.3). */
    boolean revoked;
    /** The owner whose requests are ordered; null where sessions order them. */
    final @Nullable StateOwner stateOwner;

    LockState(OpenState open, Opaque owner, long number, @Nullable StateOwner stateOwner) {
        this.open = open;
        this.owner = new LockOwner(open.client, owner);
        this.number = number;
        this.stateOwner = stateOwner;
    }

    @Override
    public Client client() {
        return open.client;
    }

    @Override
    public FileKey key() {
        return open.file.key;
    }

    @Override
    public long number() {
        return number;
    }

    @Override
    public int seqid() {
        return seqid;
    }
}
