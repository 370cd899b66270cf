package org.warpnfs.nfs.v4.op;

import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/** What a COMPOUND has done to files and state: whether it may be done again where no session says that it was done. */
public enum Effect {
    /** None of its operations changes anything. */
    NONE,
    /** One that changes something was told to come later, and did nothing. */
    PUT_OFF,
    /**
     * Those that change something and were executed do the same if they are executed again, unless others come in
     * between: they wrote.
     */
    WROTE,
    /** One that changes something was executed, or failed for good: doing it again might end in another way. */
    CHANGED;

    /**
     * An operation that changes something has ended.
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
