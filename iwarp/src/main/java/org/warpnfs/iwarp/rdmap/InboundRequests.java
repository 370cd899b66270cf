package org.warpnfs.iwarp.rdmap;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.ddp.TaggedBuffer;
import org.warpnfs.iwarp.ddp.UntaggedHeader;

/**
 * Checks the peer's requests on queue 1 and passes on those that are permitted (RFC 5040, section 7.2; RFC 7306,
 * sections 5.2.1 and 8.2). All checks precede any access to memory, in this order: STag, rights, wrap, bounds,
 * alignment.
 */
final class InboundRequests {
    private static final String READ = "Read Request";
    private static final String ATOMIC = "Atomic Request";

    private final RdmapRegions regions;
    private final RdmapUlp ulp;

    InboundRequests(RdmapRegions regions, RdmapUlp ulp) {
        this.regions = regions;
        this.ulp = ulp;
    }

    void read(ByteBuffer message, UntaggedHeader segment) throws RdmapViolation {
        ReadRequestHeader request = ReadRequestHeader.parse(message);
        if (request.sizeBytes() == 0) {
            // A zero-length Read Request is answered without a check of its STag and TO (RFC 5040, section 5.2.1).
            ulp.readRequested(request, segment, null, 0);
            return;
        }
        Wanted wanted = new Wanted(READ, request.sourceStag(), request.sourceOffset(), request.sizeBytes(), request);
        RdmapRegion source = find(wanted);
        if (!source.allowsRemoteRead()) {
            throw wanted.refused(RdmapError.PROTECTION_ACCESS_RIGHTS, "may not be read");
        }
        ulp.readRequested(request, segment, source, locate(wanted, source));
    }

    void atomic(ByteBuffer message, UntaggedHeader segment) throws RdmapViolation {
        AtomicRequestHeader request = AtomicRequestHeader.parse(message);
        Wanted wanted = new Wanted(ATOMIC, request.remoteStag(), request.remoteOffset(), Long.BYTES, null);
        RdmapRegion target = find(wanted);
        if (!target.allowsRemoteAtomic()) {
            throw wanted.refused(RdmapError.PROTECTION_ACCESS_RIGHTS, "takes no atomic operations");
        }
        int offsetBytes = locate(wanted, target);
        if (!target.alignedForAtomics(offsetBytes)) {
            throw wanted.refused(RdmapError.OPERATION_CATASTROPHIC_STREAM, "is not aligned to 64 bits there");
        }
        ulp.atomicRequested(request, segment, target, offsetBytes);
    }

    private RdmapRegion find(Wanted wanted) throws RdmapViolation {
        RdmapRegion region = regions.find(wanted.stag());
        if (region == null && regions.isOfOthers(wanted.stag())) {
            throw wanted.refused(
                    RdmapError.PROTECTION_STAG_OF_OTHER_STREAM, "belongs to another stream or protection domain");
        }
        if (region == null) {
            throw wanted.refused(RdmapError.PROTECTION_INVALID_STAG, "is not valid on this stream");
        }
        return region;
    }

    private static int locate(Wanted wanted, RdmapRegion region) throws RdmapViolation {
        long offset = region.locate(wanted.taggedOffset(), wanted.lengthBytes());
        if (offset == TaggedBuffer.WRAPS) {
            throw wanted.refused(RdmapError.PROTECTION_TO_WRAP, "is accessed past the largest tagged offset");
        }
        if (offset == TaggedBuffer.OUTSIDE) {
            throw wanted.refused(RdmapError.PROTECTION_BOUNDS, "has only " + region.lengthBytes() + " bytes");
        }
        return (int) offset;
    }

    /** The range that the peer asks for. A Read Request is kept, because a refusal returns it to the peer. */
    private record Wanted(
            String what,
            long stag,
            long taggedOffset,
            long lengthBytes,
            @Nullable ReadRequestHeader readRequest) {
        RdmapViolation refused(RdmapError error, String why) {
            return new RdmapViolation(
                    error,
                    what + " of " + lengthBytes + " bytes at TO " + Long.toHexString(taggedOffset) + ": STag "
                            + Long.toHexString(stag) + " " + why + " (RFC 5040, section 7.2, RFC 7306, section 8.2)",
                    readRequest,
                    null);
        }
    }
}
