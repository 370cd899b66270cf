package org.warpnfs.nfs.v4.state.client;

import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.state.callback.ReferringCall;
import org.warpnfs.nfs.v4.state.core.Principal;

/**
 * One slot of a session's reply cache (RFC 8881, section 2.10.6.1).
 *
 * <pre>
 *   state     event                            next      answer
 *   FRESH     seqid 1                          BUSY      executed
 *   IDLE      seqid = last + 1                 BUSY      executed
 *   FRESH,    the next, its reply is to be     same      DELAY
 *   IDLE      kept and there is no room
 *   IDLE      seqid = last, reply cached       IDLE      the cached reply
 *   IDLE      seqid = last, not cached         IDLE      RETRY_UNCACHED_REP
 *   IDLE      seqid = last, other request      IDLE      SEQ_FALSE_RETRY
 *   BUSY      seqid = the one in progress      BUSY      DELAY
 *   any       any other seqid                  same      SEQ_MISORDERED
 *   BUSY      the reply is made                IDLE
 * </pre>
 */
public final class Slot {
    enum Phase {
        FRESH,
        IDLE,
        BUSY
    }

    final Session session;
    final int index;
    Phase phase = Phase.FRESH;
    final ReferringCall.Latest latest = new ReferringCall.Latest();
    long digest;

    @Nullable
    Principal principal;

    @Nullable
    CachedReply reply;

    /** Bytes of {@link ReplyMemory} that the slot takes, for its reply or reserved for the one in progress. */
    long chargedBytes;
    /** When its last request began, and when the last reply was made, by the counter of {@link ReplyMemory}. */
    long begun;

    long ended;

    Slot(Session session, int index) {
        this.session = session;
        this.index = index;
    }

    /** The request in progress, for callbacks about what it is granted. */
    public ReferringCall referring() {
        return new ReferringCall(session.id(), latest.seqid(), index, latest);
    }
}
