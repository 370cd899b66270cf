package org.warpnfs.iwarp.mpa;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.warpnfs.iwarp.io.BigEndian;

/**
 * The MPA Request or Reply frame (RFC 5044, section 7.1.1, RFC 6581, section 6).
 *
 * <pre>
 * bytes   field
 * 0-15    key: "MPA ID Req Frame" or "MPA ID Rep Frame"
 * 16      0x80 M markers wanted, 0x40 C CRC wanted, 0x20 R rejected, 0x10 S enhanced, 0x0f reserved
 * 17      revision
 * 18-19   PD_Length, 0 to 512
 * 20-     private data; with S the first four bytes are an {@link EnhancedBlock}
 * </pre>
 *
 * @param kind request or reply
 * @param markers the sender wants to receive markers
 * @param crc the sender wants CRCs
 * @param rejected the sender refuses the connection; has no meaning in a request
 * @param enhanced the private data starts with an {@link EnhancedBlock}
 * @param revision 1 is RFC 5044, 2 is RFC 6581
 * @param privateData read-only, including the block
 */
public record MpaFrame(
        Kind kind,
        boolean markers,
        boolean crc,
        boolean rejected,
        boolean enhanced,
        int revision,
        ByteBuffer privateData) {
    /** The length of the fixed part. */
    public static final int HEADER_BYTES = 20;

    /** The most private data in a frame (RFC 5044, section 7.1.1). */
    public static final int MAX_PRIVATE_DATA_BYTES = 512;

    /** RFC 5044. */
    public static final int REVISION_1 = 1;

    /** RFC 6581. */
    public static final int REVISION_2 = 2;

    static final int KEY_BYTES = 16;
    private static final int FLAGS_OFFSET = KEY_BYTES;
    private static final int REVISION_OFFSET = FLAGS_OFFSET + 1;
    private static final int PD_LENGTH_OFFSET = REVISION_OFFSET + 1;

    private static final int FLAG_MARKERS = 0x80;
    private static final int FLAG_CRC = 0x40;
    private static final int FLAG_REJECTED = 0x20;
    private static final int FLAG_ENHANCED = 0x10;

    public MpaFrame {
        if (privateData.remaining() > MAX_PRIVATE_DATA_BYTES) {
            throw new IllegalArgumentException(
                    "private data of " + privateData.remaining() + " bytes, limit " + MAX_PRIVATE_DATA_BYTES);
        }
        if (enhanced && !rejected && privateData.remaining() < EnhancedBlock.BYTES) {
            throw new IllegalArgumentException("an enhanced frame needs its block");
        }
        privateData = privateData.slice().asReadOnlyBuffer();
    }

    /** Request or reply. */
    public enum Kind {
        REQUEST("MPA ID Req Frame"),
        REPLY("MPA ID Rep Frame");

        private final String key;

        Kind(String key) {
            this.key = key;
        }

        byte keyByte(int index) {
            return (byte) key.charAt(index);
        }
    }

    @Override
    public ByteBuffer privateData() {
        return privateData.duplicate();
    }

    /** The enhanced block of RFC 6581. To be called only if {@link #hasEnhancedBlock()}. */
    public EnhancedBlock enhancedBlock() {
        return EnhancedBlock.parse(privateData());
    }

    /** Whether the frame is enhanced and holds a block. A rejection may be enhanced and have no room for one. */
    public boolean hasEnhancedBlock() {
        return enhanced && privateData.remaining() >= EnhancedBlock.BYTES;
    }

    /** The upper layer's private data, which follows the block if there is one. */
    public ByteBuffer upperLayerPrivateData() {
        ByteBuffer data = privateData();
        if (hasEnhancedBlock()) {
            data.position(EnhancedBlock.BYTES);
        }
        return data.slice();
    }

    /** The length of the private data, taken from the 20-byte header at {@code header}'s position. */
    static int privateDataLengthBytes(ByteBuffer header) throws MpaViolation {
        int lengthBytes = BigEndian.u16(header, header.position() + PD_LENGTH_OFFSET);
        if (lengthBytes > MAX_PRIVATE_DATA_BYTES) {
            throw new MpaViolation(
                    MpaError.BAD_FRAME,
                    "private data of " + lengthBytes + " bytes, limit " + MAX_PRIVATE_DATA_BYTES
                            + " (RFC 5044, section 7.1.1)");
        }
        return lengthBytes;
    }

    /** Parses a complete frame, from position to limit. The caller has checked the key. */
    static MpaFrame parse(Kind kind, ByteBuffer frame) throws MpaViolation {
        int start = frame.position();
        int flags = BigEndian.u8(frame, start + FLAGS_OFFSET);
        int revision = BigEndian.u8(frame, start + REVISION_OFFSET);
        boolean rejected = kind == Kind.REPLY && (flags & FLAG_REJECTED) != 0;
        // In revision 1 the S flag does not exist. Its bit is reserved and ignored on receipt.
        boolean enhanced = (flags & FLAG_ENHANCED) != 0 && revision >= REVISION_2;
        byte[] privateData = new byte[frame.remaining() - HEADER_BYTES];
        frame.get(start + HEADER_BYTES, privateData);
        if (enhanced && !rejected && privateData.length < EnhancedBlock.BYTES) {
            throw new MpaViolation(
                    MpaError.BAD_FRAME,
                    "enhanced frame with " + privateData.length + " bytes of private data, at least "
                            + EnhancedBlock.BYTES + " needed (RFC 6581, section 9)");
        }
        return new MpaFrame(
                kind,
                (flags & FLAG_MARKERS) != 0,
                (flags & FLAG_CRC) != 0,
                rejected,
                enhanced,
                revision,
                ByteBuffer.wrap(privateData));
    }

    /** The length on the wire. */
    public int lengthBytes() {
        return HEADER_BYTES + privateData.remaining();
    }

    /** Appends the frame. */
    public void encode(ByteBuffer out) {
        out.put(kind.key.getBytes(StandardCharsets.US_ASCII));
        BigEndian.putU8(
                out,
                (markers ? FLAG_MARKERS : 0)
                        | (crc ? FLAG_CRC : 0)
                        | (rejected ? FLAG_REJECTED : 0)
                        | (enhanced ? FLAG_ENHANCED : 0));
        BigEndian.putU8(out, revision);
        BigEndian.putU16(out, privateData.remaining());
        out.put(privateData());
    }
}
