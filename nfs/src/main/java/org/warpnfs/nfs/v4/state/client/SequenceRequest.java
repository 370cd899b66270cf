package org.warpnfs.nfs.v4.state.client;

import org.warpnfs.nfs.v4.state.core.Principal;
import org.warpnfs.nfs.v4.state.core.SessionId;

/**
 * SEQUENCE4args with what else its judgement needs.
 *
 * @param slotId unsigned
 * @param highestSlotId unsigned
 * @param operations of the COMPOUND
 * @param cacheThis whether the reply has to be kept
 * @param digest of what tells one COMPOUND from another
 * @param connection on which the call came
 */
public record SequenceRequest(
        SessionId sessionId,
        int seqid,
        long slotId,
        long highestSlotId,
        int operations,
        boolean cacheThis,
        long digest,
        Principal principal,
        Object connection) {}
