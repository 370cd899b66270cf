package org.warpnfs.nfs.v4.state.callback;

import org.warpnfs.nfs.v4.state.core.SessionId;

/**
 * A request of a client whose reply a callback may overtake (RFC 8881, section 2.10.6.3). Guarded by the lock of the
 * state.
 *
 * @param seqid of the request in its slot
 * @param latest the slot's last request, by now
 */
public record ReferringCall(SessionId sessionId, int seqid, int slot, Latest latest) {
    /** True unless the client has used the slot again, and so has the reply, or the session has ended. */
    public boolean mayBeUnanswered() {
        return !latest.ended && latest.seqid == seqid;
    }

    /**
     * The last request of a slot. What was granted in a session may outlive it by far, so this does not refer to the
     * session, nor to its slots with the replies that they keep.
     */
    public static final class Latest {
        private int seqid;
        private boolean ended;

        /** Its sequence id; 0 if there is none. */
        public int seqid() {
            return seqid;
        }

        /** Notes the next request. */
        public void set(int next) {
            seqid = next;
        }

        /** Notes that the session has ended. */
        public void end() {
            ended = true;
        }
    }
}
