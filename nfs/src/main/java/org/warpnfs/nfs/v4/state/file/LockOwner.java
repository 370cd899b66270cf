package org.warpnfs.nfs.v4.state.file;

import org.warpnfs.limits.ClientAddress;
import org.warpnfs.nfs.locks.Locker;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.xdr.Opaque;

/** A lock-owner: a client, and the client's name for the owner. */
public record LockOwner(Client client, Opaque owner) implements Locker {
    @Override
    public boolean isGone() {
        return client.isForgotten();
    }

    @Override
    public ClientAddress address() {
        return client.address();
    }

    @Override
    public byte[] name() {
        return owner.toBytes();
    }
}
