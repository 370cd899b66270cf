package org.warpnfs.iwarp.mpa;

import java.nio.ByteBuffer;
import org.warpnfs.iwarp.io.ProtocolViolation;

/** Where a {@link FpduDeframer} delivers ULPDUs: a start, the bytes in any number of pieces, an end. */
public interface UlpduSink {
    /** A ULPDU of this length, 0 to 65535, begins. */
    void ulpduStarted(int lengthBytes) throws ProtocolViolation;

    /** More of its bytes, position to limit; consumed, and not to be kept. */
    void ulpduBytes(ByteBuffer bytes) throws ProtocolViolation;

    /** All of it has been delivered and the trailer has been read. */
    void ulpduEnded() throws ProtocolViolation;
}
