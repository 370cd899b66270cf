package org.warpnfs.nfs.v4.state.callback;

import org.warpnfs.nfs.v4.state.core.Client;

/** Whoever can ask clients for what they were given. Guarded by the lock of the state. */
public interface Recaller {
    /** True if a callback would reach the client. */
    boolean reaches(Client client);

    /** Sends CB_RECALL by some way that is up; false if there is none, or no room on it. */
    boolean recall(long nowNanos, Client client, Recallable delegation);
}
