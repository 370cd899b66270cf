package org.warpnfs.iwarp.rdmap;

import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.io.ProtocolViolation;

/** Thrown when the peer broke RDMAP. */
public final class RdmapViolation extends ProtocolViolation {
    private static final long serialVersionUID = 1L;

    private final RdmapError error;

    @SuppressWarnings("serial") // a violation is never serialized; it lives from throw to Terminate
    private final @Nullable ReadRequestHeader readRequest;

    @SuppressWarnings("serial") // a violation is never serialized
    private final @Nullable FailedSegment segment;

    public RdmapViolation(RdmapError error, String detail) {
        this(error, detail, null, null);
    }

    /**
     * A fault in a request.
     *
     * @param readRequest the part of a Read Request that is not answered yet, to be returned in the Terminate; null if
     *     the fault is in another message
     * @param segment the segment of the request; null if it is the current one
     */
    public RdmapViolation(
            RdmapError error, String detail, @Nullable ReadRequestHeader readRequest, @Nullable FailedSegment segment) {
        super(detail);
        this.error = error;
        this.readRequest = readRequest;
        this.segment = segment;
    }

    public RdmapError error() {
        return error;
    }

    /** The segment that the fault is in; null if it is the current one. */
    public @Nullable FailedSegment segment() {
        return segment;
    }

    /** A copy of this violation for a segment that came earlier. */
    RdmapViolation in(@Nullable FailedSegment earlier) {
        return new RdmapViolation(error, detail(), readRequest, earlier);
    }

    /** The Read Request in which the fault was found; null if it was found in another message. */
    public @Nullable ReadRequestHeader readRequest() {
        return readRequest;
    }
}
