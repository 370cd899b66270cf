package org.warpnfs.nfs.v4.op;

import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/** The joint effect of the operations of one COMPOUND so far. For one thread. */
public final class Effects {
    private boolean changing;
    private boolean repeatable;
    private Effect effect = Effect.NONE;

    Effects() {}

    /** Begins the next operation, which is not known yet. */
    void next() {
        changing = false;
    }

    /** Notes the operation that is about to be executed. */
    public void begins(Operation operation) {
        changing = operation.isChanging();
        repeatable = operation.isRepeatable();
    }

    /** Notes the end of the operation, whether it was executed or not. */
    public void ended(Nfs4Status status) {
        if (changing) {
            effect = effect.then(status, repeatable);
        }
    }

    /** The joint effect so far. */
    public Effect soFar() {
        return effect;
    }
}
