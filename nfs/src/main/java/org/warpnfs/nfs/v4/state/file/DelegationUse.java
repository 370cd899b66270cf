package org.warpnfs.nfs.v4.state.file;

/** What a request does with a file, as far as delegations of other clients matter. */
public enum DelegationUse {
    /** It reads data or attributes, which a client with a write delegation may have changed in its cache. */
    READ,
    /** It changes data, attributes or names. */
    CHANGE;

    /** True if no other client may have a delegation of that kind meanwhile. */
    boolean conflictsWith(DelegationKind kind) {
        return this == CHANGE || kind == DelegationKind.WRITE;
    }
}
