package org.warpnfs.nfs.v4.state.callback;

import java.util.function.IntSupplier;
import org.warpnfs.nfs.v4.state.core.SessionId;

/**
 * A request of a client whose reply a callback may overtake (RFC 8881, section 2.10.6.3). Guarded by the lock of the
 * state.
 *
 * @param seqid of the request in its slot
 * @param latest the sequence id of the slot's last request, by now
 */
public record ReferringCall(SessionId sessionId, int seqid, int slot, IntSupplier latest) {
    /** True unless the client has used the slot again, and so has the reply. */
    public boolean mayBeUnanswered() {
        return latest.getAsInt() == seqid;
    }
}
