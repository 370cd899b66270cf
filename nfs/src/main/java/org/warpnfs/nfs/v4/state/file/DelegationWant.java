package org.warpnfs.nfs.v4.state.file;

import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.state.callback.ReferringCall;
import org.warpnfs.nfs.v4.xdr.Opaque;

/**
 * What an OPEN says about delegations.
 *
 * @param wireHandle the file's handle as the client will have it, for CB_RECALL
 * @param withTimes the client wants to keep the file's times under a write delegation (RFC 9754, section 5)
 * @param either the client needs no open if it gets a delegation (RFC 9754, section 4)
 * @param by the request that may get one; null without a session
 * @param lease keeps out others than clients of this server; null if the backend knows of no others, or has none to
 *     give
 * @param isLeased false if the backend would have to give a lease for a delegation, and gives none
 */
public record DelegationWant(
        Kind kind,
        Opaque wireHandle,
        boolean withTimes,
        boolean either,
        @Nullable ReferringCall by,
        @Nullable BackendLease lease,
        boolean isLeased) {
    /** A want of NFSv4.1. */
    public DelegationWant(Kind kind, Opaque wireHandle) {
        this(kind, wireHandle, false, false, null, null, true);
    }

    /** True if others than clients of this server may use the file in a way that conflicts. */
    boolean mayBeBroken() {
        return !isLeased || isBreaking();
    }

    /** True if the lease breaks already: somebody waits for the file. */
    boolean isBreaking() {
        return lease != null && lease.isBreaking();
    }

    public enum Kind {
        /** No preference: a write delegation for an open to write, else a read delegation. */
        ANY,
        /** A read delegation or none. */
        READ,
        /** A write delegation or none. */
        WRITE,
        /** OPEN4_SHARE_ACCESS_WANT_NO_DELEG. */
        UNWANTED,
        /** OPEN4_SHARE_ACCESS_WANT_CANCEL. */
        CANCEL,
        /** CLAIM_PREVIOUS of a read delegation. */
        RECLAIM_READ,
        /** CLAIM_PREVIOUS of a write delegation. */
        RECLAIM_WRITE,
        /** The client has what it can have: CLAIM_DELEGATE_CUR, or a reclaim without a delegation. */
        SETTLED
    }
}
