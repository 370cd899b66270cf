package org.warpnfs.iwarp.qp;

import java.nio.ByteBuffer;
import org.warpnfs.iwarp.ddp.DdpError;
import org.warpnfs.iwarp.ddp.DdpReceiver;
import org.warpnfs.iwarp.ddp.DdpViolation;
import org.warpnfs.iwarp.ddp.UntaggedHeader;
import org.warpnfs.iwarp.io.ProtocolViolation;
import org.warpnfs.iwarp.mpa.MpaError;
import org.warpnfs.iwarp.mpa.MpaViolation;
import org.warpnfs.iwarp.rdmap.FailedSegment;
import org.warpnfs.iwarp.rdmap.RdmapError;
import org.warpnfs.iwarp.rdmap.RdmapViolation;
import org.warpnfs.iwarp.rdmap.TerminateError;
import org.warpnfs.iwarp.rdmap.TerminateHeader;

/**
 * Makes the Terminate that reports a violation to the peer, with the prescribed parts of the offending segment (RFC
 * 5040, sections 4.8 and 7.1, Figures 9 and 10; RFC 7306, section 8.1).
 *
 * <pre>
 * violation            layer  segment length and DDP header  Read Request header
 * MPA                  2      no                             no
 * DDP                  1      yes                            no
 * RDMAP protection     0      yes                            if it was in one
 * RDMAP operation      0      yes                            no
 * RFC 7306 message     0      yes                            no
 * segment too short    0      no: it has none                no
 * a defect of ours     0      no                             no
 * </pre>
 */
final class TerminateReasons {
    private TerminateReasons() {}

    /** The Terminate for a violation in the current segment of the receiver. */
    static TerminateHeader header(ProtocolViolation violation, DdpReceiver receiver) {
        return switch (violation) {
            case MpaViolation mpa ->
                TerminateHeader.bare(new TerminateError(
                        TerminateError.LAYER_LLP,
                        MpaError.ERROR_TYPE,
                        mpa.error().code()));
            case DdpViolation ddp -> {
                DdpError error = ddp.error();
                yield TerminateHeader.about(
                        new TerminateError(TerminateError.LAYER_DDP, error.type(), error.code()),
                        receiver.segmentLengthBytes(),
                        receiver.offendingHeader(),
                        null);
            }
            case RdmapViolation rdmap -> {
                RdmapError error = rdmap.error();
                FailedSegment earlier = rdmap.segment();
                yield earlier == null
                        ? TerminateHeader.about(
                                error(error),
                                receiver.segmentLengthBytes(),
                                receiver.offendingHeader(),
                                rdmap.readRequest())
                        : TerminateHeader.about(
                                error(error), earlier.lengthBytes(), bytes(earlier.header()), rdmap.readRequest());
            }
            default -> TerminateHeader.bare(error(RdmapError.OPERATION_UNSPECIFIED));
        };
    }

    /** The Terminate for a fault that the peer did not cause. */
    static TerminateHeader localCatastrophe() {
        return TerminateHeader.bare(error(RdmapError.LOCAL_CATASTROPHIC));
    }

    /** A header as it was on the wire. */
    static ByteBuffer bytes(UntaggedHeader header) {
        ByteBuffer bytes = ByteBuffer.allocate(UntaggedHeader.BYTES);
        header.encode(bytes);
        return bytes.flip();
    }

    private static TerminateError error(RdmapError error) {
        return new TerminateError(TerminateError.LAYER_RDMA, error.type(), error.code());
    }
}
