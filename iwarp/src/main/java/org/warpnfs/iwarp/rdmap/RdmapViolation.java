package org.warpnfs.iwarp.rdmap;

import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.io.ProtocolViolation;

/** The peer broke RDMAP. */
public final class RdmapViolation extends ProtocolViolation {
    private static final long serialVersionUID = 1L;

    private final RdmapError error;

    @SuppressWarnings("serial") // a violation is never serialized; it lives from throw to Terminate
    private final @Nullable ReadRequestHeader readRequest;

    @SuppressWarnings("serial") // likewise
    private final @Nullable FailedSegment segment;

    public RdmapViolation(RdmapError error, String detail) {
        this(error, detail, null, null);
    }

    /**
     * A fault in a request.
     *
     * @param readRequest if it is a Read Request, what is left of it, to be sent back in the Terminate
     * @param segment the segment it came in; null where that is the one at hand
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

    /** The segment that the fault is in; null where that is the one at hand. */
    public @Nullable FailedSegment segment() {
        return segment;
    }

    /** The same fault, found in a segment that came earlier. */
    RdmapViolation in(@Nullable FailedSegment earlier) {
        return new RdmapViolation(error, detail(), readRequest, earlier);
    }

    /** The Read Request in which the fault was found; null if it was in something else. */
    public @Nullable ReadRequestHeader readRequest() {
        return readRequest;
    }
}
