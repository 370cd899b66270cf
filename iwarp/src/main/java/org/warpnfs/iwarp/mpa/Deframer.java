package org.warpnfs.iwarp.mpa;

import java.nio.ByteBuffer;
import org.warpnfs.iwarp.io.ProtocolViolation;

/** Cuts a byte stream into ULPDUs (RFC 5044, section 4). The stream may arrive in pieces of any size. */
public sealed interface Deframer permits FpduDeframer, MarkedDeframer {
    /** Creates the deframer of one direction of a stream. It must see the stream from its first FPDU on. */
    static Deframer of(UlpduSink sink, MpaAgreement.Framing framing) {
        return framing.receiveMarkers()
                ? new MarkedDeframer(sink, framing.crc())
                : new FpduDeframer(sink, framing.crc());
    }

    /** True when the stream may end here, because the last FPDU was complete. */
    boolean atBoundary();

    /**
     * Processes at most one FPDU, or the part of it that has arrived.
     *
     * @return false when {@code in} has been consumed and more is needed
     */
    boolean advance(ByteBuffer in) throws ProtocolViolation;
}
