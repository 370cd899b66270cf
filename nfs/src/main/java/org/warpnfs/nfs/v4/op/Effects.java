package org.warpnfs.nfs.v4.op;

import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/** What the operations of one COMPOUND so far have done together. For one thread. */
public final class Effects {
    private boolean changing;
    private boolean repeatable;
    private Effect effect = Effect.NONE;

    Effects() {}

    /** The next operation is looked at. */
    void next() {
        changing = false;
    }

    /** It is about to be executed. */
    public void begins(Operation operation) {
        changing = operation.isChanging();
        repeatable = operation.isRepeatable();
    }

    /** The operation has ended, whether it was executed or not. */
    public void ended(Nfs4Status status) {
        if (changing) {
            effect = effect.then(status, repeatable);
        }
    }

    /** All of them together. */
    public Effect soFar() {
        return effect;
    }
}
