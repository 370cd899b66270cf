package org.warpnfs.iwarp.rdmap;

import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.ddp.UntaggedHeader;
import org.warpnfs.iwarp.io.ProtocolViolation;

/** The peer broke RDMAP. */
public final class RdmapViolation extends ProtocolViolation {
    private static final long serialVersionUID = 1L;

    private final RdmapError error;

    @SuppressWarnings("serial") // a violation is never serialized; it lives from throw to Terminate
    private final @Nullable ReadRequestHeader readRequest;

    @SuppressWarnings("serial") // likewise
    private final @Nullable UntaggedHeader segment;

    public RdmapViolation(RdmapError error, String detail) {
        this(error, detail, null, null);
    }

    /**
     * A fault in a Read Request.
     *
     * @param readRequest what is left of it, to be sent back in the Terminate
     * @param segment the header it came with
     */
    public RdmapViolation(
            RdmapError error,
            String detail,
            @Nullable ReadRequestHeader readRequest,
            @Nullable UntaggedHeader segment) {
        super(detail);
        this.error = error;
        this.readRequest = readRequest;
        this.segment = segment;
    }

    public RdmapError error() {
        return error;
    }

    /** The header of that Read Request's segment; null where the fault is in the segment at hand. */
    public @Nullable UntaggedHeader segment() {
        return segment;
    }

    /** The Read Request in which the fault was found; null if it was in something else. */
    public @Nullable ReadRequestHeader readRequest() {
        return readRequest;
    }
}
