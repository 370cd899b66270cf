package org.warpnfs.iwarp.rdmap;

import org.warpnfs.iwarp.ddp.Coverage;
import org.warpnfs.iwarp.ddp.DdpError;
import org.warpnfs.iwarp.ddp.DdpViolation;
import org.warpnfs.iwarp.ddp.TaggedBuffer;
import org.warpnfs.iwarp.ddp.TaggedHeader;

/**
 * A Read Request of ours that has not been answered yet. Each segment of the response must lie within the requested
 * range, and at the end the response must cover all of it. DDP alone would let the peer place data anywhere in the
 * sink's region, or leave a gap.
 */
final class OutstandingRead {
    private final ReadRequestHeader request;
    private final TaggedBuffer sink;
    private final Coverage coverage = new Coverage();

    OutstandingRead(ReadRequestHeader request, TaggedBuffer sink) {
        this.request = request;
        this.sink = sink;
    }

    /** Checks a segment that carries payload. */
    TaggedBuffer check(TaggedHeader header, int payloadBytes) throws DdpViolation {
        if (header.stag() != request.sinkStag()) {
            throw new DdpViolation(
                    DdpError.TAGGED_INVALID_STAG,
                    "Read Response to STag " + Long.toHexString(header.stag()) + ", asked for "
                            + Long.toHexString(request.sinkStag()) + " (RFC 5040, section 5.2.2)");
        }
        if (Long.compareUnsigned(header.taggedOffset(), -1L - payloadBytes) > 0) {
            throw new DdpViolation(
                    DdpError.TAGGED_TO_WRAP,
                    "Read Response of " + payloadBytes + " bytes at TO " + Long.toHexString(header.taggedOffset())
                            + " wraps (RFC 5041, section 7.1)");
        }
        long offset = header.taggedOffset() - request.sinkOffset();
        if (offset < 0 || offset > request.sizeBytes() || payloadBytes > request.sizeBytes() - offset) {
            throw new DdpViolation(
                    DdpError.TAGGED_BOUNDS,
                    "Read Response of " + payloadBytes + " bytes at " + offset + ", asked for " + request.sizeBytes()
                            + " (RFC 5040, section 5.2.2)");
        }
        return sink;
    }

    /** Records a segment as placed. True when it ended the response. */
    boolean placed(TaggedHeader header, int payloadBytes) throws RdmapViolation {
        boolean counted = payloadBytes == 0 || coverage.add(header.taggedOffset() - request.sinkOffset(), payloadBytes);
        if (!counted || (header.last() && !coverage.isExactly(request.sizeBytes()))) {
            throw new RdmapViolation(
                    RdmapError.OPERATION_UNSPECIFIED,
                    "Read Response does not cover the " + request.sizeBytes()
                            + " bytes asked for (RFC 5040, section 5.2.2)");
        }
        return header.last();
    }
}
