package org.warpnfs.nfs.nlm;

import org.warpnfs.keys.KeyedHash;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.nfs.locks.Locker;

/**
 * Who locks: a process of a client. Only calls from the same address and with the same name of the client mean the same
 * owner. The handle does not matter, as it does not for Linux: clients build it from names that may change between a
 * LOCK and its UNLOCK.
 *
 * @param handle the one of the first request, for others that meet the lock
 */
record NlmOwner(NlmHost host, int process, Netobj handle) implements Locker {
    @Override
    public boolean isGone() {
        return false;
    }

    @Override
    public ClientAddress address() {
        return host.client();
    }

    @Override
    public byte[] name() {
        return handle.toBytes();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof NlmOwner owner && process == owner.process && host.equals(owner.host);
    }

    @Override
    public int hashCode() {
        return KeyedHash.of(process, host.hashCode());
    }
}
