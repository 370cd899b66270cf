package org.warpnfs.iwarp.mpa;

import java.nio.ByteBuffer;
import org.warpnfs.iwarp.io.ProtocolViolation;

/** Receives ULPDUs from a {@link Deframer}: for each a start, its bytes in any number of pieces, an end. */
public interface UlpduSink {
    /** A ULPDU of 0 to 65535 bytes begins. */
    void ulpduStarted(int lengthBytes) throws ProtocolViolation;

    /** The next bytes of the ULPDU, from position to limit. The sink consumes them and must not keep the buffer. */
    void ulpduBytes(ByteBuffer bytes) throws ProtocolViolation;

    /** All bytes of the ULPDU have been delivered and its trailer has been read. */
    void ulpduEnded() throws ProtocolViolation;
}
