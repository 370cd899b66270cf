package org.warpnfs.nfs.v4.op;

import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/** What a COMPOUND has done to files and state: whether it may be done again where no session says that it was done. */
public enum Effect {
    /** None of its operations changes anything. */
    NONE,
    /** One that changes something was told to come later, and did nothing. */
    PUT_OFF,
    /** One that changes something was executed, or failed for good: doing it again might end in another way. */
    CHANGED;

    /** An operation that changes something has ended. */
    Effect then(Nfs4Status status) {
        boolean later = status == Nfs4Status.DELAY || status == Nfs4Status.GRACE;
        return later && this != CHANGED ? PUT_OFF : CHANGED;
    }
}
