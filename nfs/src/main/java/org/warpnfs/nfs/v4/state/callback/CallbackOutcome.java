package org.warpnfs.nfs.v4.state.callback;

/** How a callback ended. */
public sealed interface CallbackOutcome {
    /**
     * Nobody knows whether the client saw it, or it would not hear it: not sent, no reply, refused below CB_COMPOUND.
     */
    record Failed() implements CallbackOutcome {}

    /** CB_NULL was answered. */
    record Done() implements CallbackOutcome {}

    /**
     * CB_COMPOUND was answered.
     *
     * @param sequence nfsstat4 of CB_SEQUENCE
     * @param operation nfsstat4 of the operation behind it; meaningless unless {@code sequence} is NFS4_OK
     */
    record Compound(int sequence, int operation) implements CallbackOutcome {}
}
