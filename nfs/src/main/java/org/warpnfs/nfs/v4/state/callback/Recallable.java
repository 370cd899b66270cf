package org.warpnfs.nfs.v4.state.callback;

import org.warpnfs.nfs.v4.xdr.Opaque;
import org.warpnfs.nfs.v4.xdr.Stateid;

/** A delegation, as far as the sender of CB_RECALL needs it. Guarded by the lock of the state. */
public interface Recallable {
    /** The stateid, as it was granted. */
    Stateid stateid();

    /** The file's handle, as the client has it. */
    Opaque wireHandle();

    /** Notes that CB_RECALL is being sent. */
    void asked(long nowNanos);

    /** Notes that CB_RECALL has been answered, or never will be. */
    void answered(boolean acknowledged);
}
