package org.warpnfs.iwarp.rdmap;

import java.nio.ByteBuffer;
import org.warpnfs.iwarp.io.BigEndian;

/**
 * The Atomic Response header (RFC 7306, section 5.2.2, Figure 6). The header has twelve bytes, as its figure shows.
 * Section 4 of the RFC says 32, which matches no figure of the RFC.
 *
 * <pre>
 * bytes   field
 * 0-3     original request identifier
 * 4-11    original remote data value
 * </pre>
 *
 * @param requestIdentifier the identifier of the request, unsigned 32 bits
 * @param originalValue the value of the word before the operation
 */
public record AtomicResponseHeader(long requestIdentifier, long originalValue) {
    /** The length of the header, which is the whole message. */
    public static final int BYTES = 12;

    private static final int VALUE_OFFSET = 4;

    /** Parses a message of exactly 12 bytes. */
    static AtomicResponseHeader parse(ByteBuffer message) throws RdmapViolation {
        if (message.remaining() != BYTES) {
            throw new RdmapViolation(
                    RdmapError.OPERATION_CATASTROPHIC_STREAM,
                    "Atomic Response of " + message.remaining() + " bytes, expected " + BYTES
                            + " (RFC 7306, section 5.2.2)");
        }
        int at = message.position();
        return new AtomicResponseHeader(BigEndian.u32(message, at), BigEndian.u64(message, at + VALUE_OFFSET));
    }

    /** Appends the header. */
    public void encode(ByteBuffer out) {
        BigEndian.putU32(out, requestIdentifier);
        BigEndian.putU64(out, originalValue);
    }
}
