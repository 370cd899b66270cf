package org.warpnfs.nfs.v4.state.core;

import org.warpnfs.limits.ClientAddress;
import org.warpnfs.nfs.v4.xdr.Opaque;

/**
 * One client, as its client id names it (RFC 8881, section 2.4): who it is, and whether it is still there. What it
 * holds is in the tables that own it. Compared by identity: a client that was let go and comes back is another.
 */
public final class Client {
    private final long id;
    private final Opaque owner;
    private final long verifier;
    private final Principal principal;
    private final boolean sessionless;
    private final ClientAddress address;
    private volatile boolean gone;

    /**
     * A client that is there.
     *
     * @param owner the name it gives itself
     * @param verifier of this instance of the client: another after it restarted
     * @param sessionless true for a client of NFSv4.0
     * @param address where it introduced itself from
     */
    public Client(
            long id, Opaque owner, long verifier, Principal principal, boolean sessionless, ClientAddress address) {
        this.id = id;
        this.owner = owner;
        this.verifier = verifier;
        this.principal = principal;
        this.sessionless = sessionless;
        this.address = address;
    }

    public long id() {
        return id;
    }

    public Opaque owner() {
        return owner;
    }

    /** True for a client of NFSv4.0. */
    public boolean isSessionless() {
        return sessionless;
    }

    /** Where it introduced itself from: what it holds counts there. */
    public ClientAddress address() {
        return address;
    }

    /** Of this instance of the client (co_verifier, in NFSv4.0 the verifier of nfs_client_id4). */
    public long verifier() {
        return verifier;
    }

    public Principal principal() {
        return principal;
    }

    /**
     * True once the client has been let go: requests that were under way find nothing any more. Safe for any thread.
     */
    public boolean isGone() {
        return gone;
    }

    /** The client has been let go, for good. The table of clients alone says so, under the lock of the state. */
    public void letGo() {
        gone = true;
    }
}
