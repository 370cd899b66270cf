package org.warpnfs.iwarp.qp;

import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.ddp.DdpMessage;
import org.warpnfs.iwarp.ddp.UntaggedHeader;
import org.warpnfs.iwarp.rdmap.RdmapError;
import org.warpnfs.iwarp.rdmap.RdmapRegion;
import org.warpnfs.iwarp.rdmap.RdmapSender;
import org.warpnfs.iwarp.rdmap.RdmapViolation;
import org.warpnfs.iwarp.rdmap.ReadRequestHeader;

/** The answer to an inbound Read Request, waiting or under way. */
final class ReadAnswer {
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

    DdpMessage message() {
        return message;
    }

    /** False when the STag was revoked in the meantime: no further byte may leave. */
    boolean allowed() {
        return source == null || source.valid();
    }

    /** The source is gone: what the peer is told, with what of its request was not answered (RFC 5040 section 4.8). */
    RdmapViolation revoked() {
        ReadRequestHeader rest =
                request.after(request.sizeBytes() - message.payload().remainingBytes());
        return new RdmapViolation(
                RdmapError.PROTECTION_INVALID_STAG,
                "STag " + Long.toHexString(request.sourceStag()) + " was revoked while it was read",
                rest,
                segment);
    }
}
