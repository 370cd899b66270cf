package org.warpnfs.nfs.v4.state.core;

import org.jspecify.annotations.Nullable;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.limits.SecuredPeer;
import org.warpnfs.nfs.v4.xdr.Opaque;

/**
 * One client, identified by its client id (RFC 8881, section 2.4). Its state is in the tables that own it. An instance
 * equals only itself: a client that was removed and comes back is another one.
 */
public final class Client {
    private final long id;
    private final Opaque owner;
    private final long verifier;
    private final Sender sender;
    private final boolean sessionless;
    private volatile @Nullable MachineCredential machine;
    private volatile boolean gone;
    private volatile boolean forgotten;

    /**
     * Makes a client.
     *
     * @param owner the client owner, its own name for itself
     * @param verifier of this instance of the client: another one after it restarted
     * @param sender who registered it
     * @param sessionless true for a client of NFSv4.0
     */
    public Client(long id, Opaque owner, long verifier, Sender sender, boolean sessionless) {
        this.id = id;
        this.owner = owner;
        this.verifier = verifier;
        this.sender = sender;
        this.sessionless = sessionless;
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

    /** The address from which it registered. Its state counts against the share of this address. */
    public ClientAddress address() {
        return sender.address();
    }

    /** Verifier of this instance of the client (co_verifier, in NFSv4.0 the verifier of nfs_client_id4). */
    public long verifier() {
        return verifier;
    }

    public Principal principal() {
        return sender.principal();
    }

    /** The protection of the connection on which it registered. */
    public SecuredPeer.Security security() {
        return sender.security();
    }

    /** What it has reserved for its machine credential; null without SP4_MACH_CRED. Safe for any thread. */
    public @Nullable MachineCredential machine() {
        return machine;
    }

    /** Sets the protection of a client that has just been made. Only under the lock of the state. */
    public void protectBy(MachineCredential asked) {
        machine = asked;
    }

    /** True once the client was removed. Requests in progress then find none of its state. Safe for any thread. */
    public boolean isGone() {
        return gone;
    }

    /** Marks the client as removed, for good. Only the table of clients calls this, under the lock of the state. */
    public void letGo() {
        gone = true;
    }

    /**
     * True once nothing can bring back what the client had: it was removed, and that is on stable storage. Before,
     * others must not get what it had, since it could reclaim it after a crash (RFC 8881, section 8.4.2.1). Safe for
     * any thread.
     */
    public boolean isForgotten() {
        return forgotten;
    }

    /** Marks a removed client as forgotten, for good. Under the lock of the state. */
    public void forget() {
        forgotten = true;
    }
}
