package org.warpnfs.nfs.nlm;

import org.warpnfs.limits.ClientAddress;
import org.warpnfs.nfs.locks.Locker;

/** Who locks: a process of a client. Only calls from the same address mean the same owner. */
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
}
