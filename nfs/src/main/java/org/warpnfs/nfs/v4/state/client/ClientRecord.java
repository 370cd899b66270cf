package org.warpnfs.nfs.v4.state.client;

import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.state.core.Client;

/**
 * The record of one client in the table of clients: its registration, and the time of its last request. Guarded by the
 * lock of the state.
 */
final class ClientRecord {
    final Client client;
    boolean confirmed;
    long renewedNanos;
    int requestsUnderWay;
    /** Number of COMPOUNDs that were executed, over all its connections. */
    long requests;

    /**
     * Sequence of the last CREATE_SESSION that was executed. The next one has this plus one (RFC 8881, section
     * 18.36.4).
     */
    int createSequence;

    @Nullable
    CreatedSession createReply;

    /** In NFSv4.0: the verifier that SETCLIENTID_CONFIRM must have, or had last. */
    long confirmVerifier;

    /** In NFSv4.0: a SETCLIENTID of the same instance of the client that is not confirmed yet. */
    @Nullable
    CallbackUpdate callbackUpdate;

    /** Its neighbours in {@link LeaseOrder}: who was heard of before it, and after it. */
    @Nullable
    ClientRecord before;

    @Nullable
    ClientRecord after;

    ClientRecord(Client client, long nowNanos) {
        this.client = client;
        this.renewedNanos = nowNanos;
    }

    /** True if the lease has run out. A request in progress keeps it alive. */
    boolean isExpired(long nowNanos, long leaseNanos) {
        return requestsUnderWay == 0 && nowNanos - renewedNanos > leaseNanos;
    }
}
