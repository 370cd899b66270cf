package org.warpnfs.nfs.v4.state.client;

import org.warpnfs.nfs.v4.state.core.Principal;
import org.warpnfs.nfs.v4.state.core.SessionId;

/**
 * SEQUENCE4args, with other data that are needed to evaluate them.
 *
 * @param slotId unsigned
 * @param highestSlotId unsigned
 * @param operations number of operations of the COMPOUND
 * @param cacheThis whether the reply has to be kept
 * @param leastReplyBytes length of the reply if the next operation fails
 * @param digest distinguishes one COMPOUND from another
 * @param connection that the call came on
 */
public record SequenceRequest(
        SessionId sessionId,
        int seqid,
        long slotId,
        long highestSlotId,
        int operations,
        boolean cacheThis,
        long leastReplyBytes,
        long digest,
        Principal principal,
        Object connection) {}
