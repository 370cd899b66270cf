package org.warpnfs.iwarp.qp;

import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.ddp.DdpMessage;
import org.warpnfs.iwarp.ddp.UntaggedHeader;
import org.warpnfs.iwarp.rdmap.FailedSegment;
import org.warpnfs.iwarp.rdmap.RdmapError;
import org.warpnfs.iwarp.rdmap.RdmapRegion;
import org.warpnfs.iwarp.rdmap.RdmapSender;
import org.warpnfs.iwarp.rdmap.RdmapViolation;
import org.warpnfs.iwarp.rdmap.ReadRequestHeader;

/** The response to an inbound Read Request. */
final class ReadAnswer implements Answer {
    private final ReadRequestHeader request;
    private final UntaggedHeader segment;
    private final @Nullable RdmapRegion source;
    private final DdpMessage message;

    ReadAnswer(ReadRequestHeader request, UntaggedHeader segment, @Nullable RdmapRegion source, int sourceOffsetBytes) {
        this.request = request;
        this.segment = segment;
        this.source = source;
        // A valid source is no longer than an int, and the request lies within it.
        List<ByteBuffer> bytes = source == null
                ? List.of()
                : List.of(source.source(sourceOffsetBytes, Math.toIntExact(request.sizeBytes())));
        this.message = RdmapSender.readResponse(request, bytes);
    }

    @Override
    public DdpMessage begin(RdmapSender sender) {
        return message;
    }

    /**
     * Checks that the source is valid. If it was revoked, the Terminate to the peer includes the part of the request
     * that was not answered (RFC 5040, section 4.8).
     */
    @Override
    public void check() throws RdmapViolation {
        if (source == null || source.valid()) {
            return;
        }
        ReadRequestHeader rest =
                request.after(request.sizeBytes() - message.payload().remainingBytes());
        throw new RdmapViolation(
                RdmapError.PROTECTION_INVALID_STAG,
                "STag " + Long.toHexString(request.sourceStag()) + " was revoked while it was read",
                rest,
                FailedSegment.of(segment, ReadRequestHeader.BYTES));
    }

    @Override
    public boolean readsMemory() {
        return source != null;
    }

    @Override
    public boolean changesMemory() {
        return false;
    }
}
