package org.warpnfs.iwarp.mpa;

import java.nio.ByteBuffer;
import org.warpnfs.payload.FileRange;

/**
 * Frames ULPDUs (RFC 5044, section 4). For each ULPDU the caller calls {@link #start}, writes the ULPDU's header into
 * the returned buffer, calls {@link #payload} any number of times, then {@link #end}.
 */
public sealed interface Framer permits FpduFramer, MarkedFramer {
    /** Creates the framer of one direction of a stream. It must see the stream from its first FPDU on. */
    static Framer of(MpaAgreement.Framing framing) {
        return framing.sendMarkers() ? new MarkedFramer(framing.crc()) : new FpduFramer(framing.crc());
    }

    /**
     * The largest ULPDU that the next FPDU can carry if it has at most {@code fpduBytes}, its markers included; at
     * least {@value Fpdu#MIN_MULPDU_BYTES} bytes.
     */
    int mulpduBytes(int fpduBytes);

    /** Whether one more FPDU fits into the batch, with a few pieces of payload. */
    boolean hasRoom(FpduBatch batch);

    /** Begins an FPDU. The caller then appends the ULPDU's own header to the returned buffer. */
    ByteBuffer start(FpduBatch batch, int ulpduBytes);

    /** Appends the payload between position and limit. */
    void payload(FpduBatch batch, ByteBuffer piece);

    /** Appends payload that is in a file, all of it. Not with markers, whose places are among its bytes. */
    void payload(FpduBatch batch, FileRange range, int from, int lengthBytes);

    /** Appends pad and CRC. */
    void end(FpduBatch batch);

    /** A mark of the current position in the stream, for {@link #rewind}. */
    int mark();

    /**
     * Returns to a mark, as if nothing had been framed since. The caller does not send what was framed, whole or in
     * part.
     */
    void rewind(int mark);
}
