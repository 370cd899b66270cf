package org.warpnfs.iwarp.qp;

import org.warpnfs.iwarp.ddp.DdpMessage;
import org.warpnfs.iwarp.ddp.UntaggedHeader;
import org.warpnfs.iwarp.rdmap.AtomicRequestHeader;
import org.warpnfs.iwarp.rdmap.AtomicResponseHeader;
import org.warpnfs.iwarp.rdmap.FailedSegment;
import org.warpnfs.iwarp.rdmap.RdmapError;
import org.warpnfs.iwarp.rdmap.RdmapRegion;
import org.warpnfs.iwarp.rdmap.RdmapSender;
import org.warpnfs.iwarp.rdmap.RdmapViolation;

/**
 * The response to an inbound Atomic Request. The operation is executed when the response's turn comes. So Reads that
 * the peer requested earlier return the previous value (RFC 7306, section 7).
 */
final class AtomicAnswer implements Answer {
    private final AtomicRequestHeader request;
    private final UntaggedHeader segment;
    private final RdmapRegion target;
    private final int targetOffsetBytes;

    AtomicAnswer(AtomicRequestHeader request, UntaggedHeader segment, RdmapRegion target, int targetOffsetBytes) {
        this.request = request;
        this.segment = segment;
        this.target = target;
        this.targetOffsetBytes = targetOffsetBytes;
    }

    @Override
    public DdpMessage begin(RdmapSender sender) throws RdmapViolation {
        long original = target.whileValid(() -> request.execute(target, targetOffsetBytes))
                .orElseThrow(() -> new RdmapViolation(
                        RdmapError.PROTECTION_INVALID_STAG,
                        "STag " + Long.toHexString(request.remoteStag()) + " was revoked before the operation",
                        null,
                        FailedSegment.of(segment, AtomicRequestHeader.BYTES)));
        return sender.atomicResponse(new AtomicResponseHeader(request.requestIdentifier(), original));
    }

    /** Checks nothing: an operation that was executed is always answered. */
    @Override
    public void check() {}

    @Override
    public boolean readsMemory() {
        return false;
    }

    @Override
    public boolean changesMemory() {
        return true;
    }
}
