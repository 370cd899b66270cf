package org.warpnfs.nfs.v4.state.callback;

import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.xdr.Opaque;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * A delegation or a layout, as far as the sender of CB_RECALL or CB_LAYOUTRECALL needs it. Guarded by the lock of the
 * state.
 */
public interface Recallable {
    /** The stateid, as it was granted. */
    Stateid stateid();

    /** The file's handle, as the client has it. */
    Opaque wireHandle();

    /** The operation that recalls it in a session: any seqid of a delegation matches seqid 0. */
    default CallbackCall.Operation recall() {
        return new CallbackCall.Recall(stateid().withSeqid(0), wireHandle());
    }

    /** The request that it was granted to last; null without a session. */
    default @Nullable ReferringCall grantedTo() {
        return null;
    }

    /** Notes that the client does not have what is recalled (NFS4ERR_NOMATCHING_LAYOUT). */
    default void lacked() {
        // Only layouts end so. A delegation has to be returned.
    }

    /** Notes that CB_RECALL is being sent. */
    void asked(long nowNanos);

    /** Notes that CB_RECALL has been answered, or never will be. */
    void answered(boolean acknowledged);
}
