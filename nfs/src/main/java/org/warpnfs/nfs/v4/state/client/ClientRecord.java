package org.warpnfs.nfs.v4.state.client;

import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.state.core.Client;

/**
 * What the table of clients knows of one: how it introduced itself, and when it was heard of. Guarded by the lock of
 * the state.
 */
final class ClientRecord {
    final Client client;
    boolean confirmed;
    long renewedNanos;
    int requestsUnderWay;
    /** COMPOUNDs that were executed, over all its connections. */
    long requests;

    /** The CREATE_SESSION executed last; the next has one more (RFC 8881, section 18.36.4). */
    int createSequence;

    @Nullable
    CreatedSession createReply;

    /** Of NFSv4.0: what SETCLIENTID_CONFIRM has to say, and said last. */
    long confirmVerifier;

    /** Of NFSv4.0: a SETCLIENTID of the same instance of the client that waits to be confirmed. */
    @Nullable
    CallbackUpdate callbackUpdate;

    ClientRecord(Client client, long nowNanos) {
        this.client = client;
        this.renewedNanos = nowNanos;
    }

    /** The lease ran out; a request that still executes keeps it alive. */
    boolean isExpired(long nowNanos, long leaseNanos) {
        return requestsUnderWay == 0 && nowNanos - renewedNanos > leaseNanos;
    }
}
