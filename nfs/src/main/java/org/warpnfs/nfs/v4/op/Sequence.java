package org.warpnfs.nfs.v4.op;

import org.warpnfs.nfs.v4.state.client.SequenceOutcome;
import org.warpnfs.nfs.v4.state.client.SequenceRequest;
import org.warpnfs.nfs.v4.state.core.SessionId;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;

/**
 * SEQUENCE (RFC 8881, section 18.46).
 *
 * <pre>
 *   sessionid4  sa_sessionid
 *   sequenceid4 sa_sequenceid
 *   slotid4     sa_slotid
 *   slotid4     sa_highest_slotid
 *   bool        sa_cachethis
 * </pre>
 */
final class Sequence implements Operation {
    /** Length of the result behind its status. */
    private static final int RESULT_BYTES = 36;

    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception {
        SessionId sessionId = SessionId.decode(in);
        int seqid = in.int32();
        long slotId = in.uint32();
        long highestSlotId = in.uint32();
        boolean cacheThis = in.bool();
        // Enough to distinguish a retry from a client that lost count. A checksum of the whole request would have to
        // wait for its data.
        long digest =
                (long) call.operationCount() << 33 | (cacheThis ? 1L << 32 : 0) | Integer.toUnsignedLong(in.peek());
        SequenceOutcome outcome = call.services()
                .state()
                .sessions()
                .beginSequence(
                        call.nowNanos(),
                        new SequenceRequest(
                                sessionId,
                                seqid,
                                slotId,
                                highestSlotId,
                                call.operationCount(),
                                cacheThis,
                                call.room().withFollowing(out.sizeBytes() + RESULT_BYTES, call.isLastOperation()),
                                digest,
                                call.calling().principal(),
                                call.calling().connection()));
        call.calling().setSequence(outcome, cacheThis);
        in.limitTo(outcome.session().foreChannel().maxRequestBytes());
        long lastSlot = outcome.session().slotCount() - 1L;
        sessionId.encode(out);
        out.int32(seqid);
        out.uint32(slotId);
        out.uint32(lastSlot);
        out.uint32(outcome.session().targetSlotCount() - 1L);
        out.int32(call.services().state().sessions().statusFlags(call.nowNanos(), outcome.session()));
    }
}
