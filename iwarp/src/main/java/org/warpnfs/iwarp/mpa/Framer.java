package org.warpnfs.iwarp.mpa;

import java.nio.ByteBuffer;

/**
 * Frames ULPDUs (RFC 5044, section 4): {@link #start}, then the ULPDU's header written into the buffer that it returns,
 * then {@link #payload} any number of times, then {@link #end}.
 */
public sealed interface Framer permits FpduFramer, MarkedFramer {
    /** The one for a direction of a stream, to be used from its first FPDU on. */
    static Framer of(MpaAgreement.Framing framing) {
        return framing.sendMarkers() ? new MarkedFramer(framing.crc()) : new FpduFramer(framing.crc());
    }

    /** The MULPDU, where FPDUs are to be no longer than with {@code wantedBytes} and no markers. */
    int mulpduBytes(int wantedBytes);

    /** Whether one more FPDU surely fits, of whose payload a few pieces are to be expected. */
    boolean hasRoom(FpduBatch batch);

    /** Begins an FPDU; the ULPDU's own header is then appended to the buffer returned. */
    ByteBuffer start(FpduBatch batch, int ulpduBytes);

    /** Appends payload, position to limit. */
    void payload(FpduBatch batch, ByteBuffer piece);

    /** Appends pad and CRC. */
    void end(FpduBatch batch);

    /** Where the stream stands, for {@link #rewind}. */
    int mark();

    /** What was framed since then, whole or in part, is not going to be sent: as if it had never been framed. */
    void rewind(int mark);
}
