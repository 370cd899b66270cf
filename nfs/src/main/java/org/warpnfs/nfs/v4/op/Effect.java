package org.warpnfs.nfs.v4.op;

import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/** Effect of a COMPOUND on files and state. It decides whether a COMPOUND without a session may be performed again. */
public enum Effect {
    /** No operation has changed anything. */
    NONE,
    /** An operation that would have changed something was told to try later, and did nothing. */
    PUT_OFF,
    /**
     * Operations were executed that change something, but have the same effect when they are executed again, unless
     * others change the same in between: WRITEs.
     */
    WROTE,
    /**
     * An operation that changes something was executed, or failed for good. It might have another result if it were
     * executed again.
     */
    CHANGED;

    /**
     * The effect after a further operation that changes something.
     *
     * @param isRepeatable {@link Operation#isRepeatable}
     */
    Effect then(Nfs4Status status, boolean isRepeatable) {
        if (status == Nfs4Status.DELAY || status == Nfs4Status.GRACE) {
            return this == NONE ? PUT_OFF : this;
        }
        return isRepeatable && this != CHANGED ? WROTE : CHANGED;
    }
}
