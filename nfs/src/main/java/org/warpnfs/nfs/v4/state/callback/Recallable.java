package org.warpnfs.nfs.v4.state.callback;

import org.warpnfs.nfs.v4.xdr.Opaque;
import org.warpnfs.nfs.v4.xdr.Stateid;

/** A delegation, as far as whoever asks for it by CB_RECALL must know it. Guarded by the lock of the state. */
public interface Recallable {
    /** As it was granted. */
    Stateid stateid();

    /** The file, as the client knows it. */
    Opaque wireHandle();

    /** CB_RECALL is on its way. */
    void asked(long nowNanos);

    /** CB_RECALL has been answered, or never will. */
    void answered(boolean acknowledged);
}
