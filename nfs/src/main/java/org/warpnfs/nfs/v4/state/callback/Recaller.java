package org.warpnfs.nfs.v4.state.callback;

import org.warpnfs.nfs.v4.state.core.Client;

/** Recalls delegations from clients, and asks them about delegated files. Guarded by the lock of the state. */
public interface Recaller {
    /** True if a callback would reach the client. */
    boolean reaches(Client client);

    /** Sends CB_RECALL over a path that is up. Returns false if there is none, or no room on it. */
    boolean recall(long nowNanos, Client client, Recallable delegation);

    /**
     * Sends CB_RECALL_ANY over a path that is up. Returns false if there is none, no room on it, or the client's
     * version of NFSv4 does not have it.
     */
    boolean recallAny(long nowNanos, Client client, int keep);

    /** Sends CB_GETATTR over a path that is up. Returns false if there is none, or no room on it. */
    boolean ask(long nowNanos, Client client, CallbackCall.GetAttr question);
}
