package org.warpnfs.nfs.v4.state.callback;

import org.jspecify.annotations.Nullable;

/** Outcome of a callback. */
public sealed interface CallbackOutcome {
    /**
     * The client may have executed it or not: the call was not sent, got no reply, or was refused below CB_COMPOUND.
     */
    record Failed() implements CallbackOutcome {}

    /** CB_NULL was answered. */
    record Done() implements CallbackOutcome {}

    /**
     * CB_COMPOUND was answered.
     *
     * @param sequence nfsstat4 of CB_SEQUENCE
     * @param operation nfsstat4 of the operation after it; meaningless unless {@code sequence} is NFS4_OK
     * @param attributes the result of CB_GETATTR; null for any other operation
     */
    record Compound(int sequence, int operation, @Nullable HeldAttributes attributes) implements CallbackOutcome {
        public Compound(int sequence, int operation) {
            this(sequence, operation, null);
        }
    }
}
