package org.warpnfs.iwarp.mpa;

import java.nio.ByteBuffer;
import org.warpnfs.iwarp.io.ProtocolViolation;

/** Cuts a byte stream into ULPDUs (RFC 5044, section 4), however the stream itself arrives cut. */
public sealed interface Deframer permits FpduDeframer, MarkedDeframer {
    /** The one for a direction of a stream, to be used from its first FPDU on. */
    static Deframer of(UlpduSink sink, MpaAgreement.Framing framing) {
        return framing.receiveMarkers()
                ? new MarkedDeframer(sink, framing.crc())
                : new FpduDeframer(sink, framing.crc());
    }

    /** True when the stream may end here: the last FPDU was whole. */
    boolean atBoundary();

    /**
     * Takes one step: at most one FPDU, or what there is of it.
     *
     * @return false when {@code in} has been consumed and more is needed
     */
    boolean advance(ByteBuffer in) throws ProtocolViolation;
}
