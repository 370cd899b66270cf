package org.warpnfs.iwarp.rdmap;

import java.nio.ByteBuffer;
import org.warpnfs.iwarp.io.BigEndian;
import org.warpnfs.iwarp.io.MaskedWord;

/**
 * The Atomic Request header (RFC 7306, section 5.2.1, Figure 4).
 *
 * <pre>
 * bytes   field
 * 0-3     28 bits reserved, sent as zero, ignored; 4 bits {@link AtomicOpcode}
 * 4-7     request identifier
 * 8-11    remote STag
 * 12-19   remote TO
 * 20-27   add data or swap data
 * 28-35   add mask or swap mask
 * 36-43   compare data; of a FetchAdd sent as zero, ignored
 * 44-51   compare mask; of a FetchAdd sent as all ones, ignored
 * </pre>
 *
 * @param requestIdentifier unsigned 32 bits, repeated in the response
 * @param remoteStag unsigned 32 bits
 * @param remoteOffset unsigned 64 bits
 * @param operand the word to add or to swap in
 * @param compare the word that a CompareSwap expects
 */
public record AtomicRequestHeader(
        AtomicOpcode opcode,
        long requestIdentifier,
        long remoteStag,
        long remoteOffset,
        MaskedWord operand,
        MaskedWord compare) {
    /** The length of the header, which is the whole message. */
    public static final int BYTES = 52;

    private static final int OPCODE_MASK = 0x0f;
    private static final int IDENTIFIER_OFFSET = 4;
    private static final int STAG_OFFSET = IDENTIFIER_OFFSET + 4;
    private static final int TO_OFFSET = STAG_OFFSET + 4;
    private static final int DATA_OFFSET = TO_OFFSET + 8;
    private static final int MASK_OFFSET = DATA_OFFSET + 8;
    private static final int COMPARE_DATA_OFFSET = MASK_OFFSET + 8;
    private static final int COMPARE_MASK_OFFSET = COMPARE_DATA_OFFSET + 8;
    private static final MaskedWord NO_COMPARE = MaskedWord.whole(0);

    /** A FetchAdd request. */
    public static AtomicRequestHeader fetchAdd(
            long requestIdentifier, long remoteStag, long remoteOffset, MaskedWord add) {
        return new AtomicRequestHeader(
                AtomicOpcode.FETCH_ADD, requestIdentifier, remoteStag, remoteOffset, add, NO_COMPARE);
    }

    /** Parses a message of exactly 52 bytes. */
    static AtomicRequestHeader parse(ByteBuffer message) throws RdmapViolation {
        if (message.remaining() != BYTES) {
            throw new RdmapViolation(
                    RdmapError.OPERATION_CATASTROPHIC_STREAM,
                    "Atomic Request of " + message.remaining() + " bytes, expected " + BYTES
                            + " (RFC 7306, section 5.2.1)");
        }
        int at = message.position();
        int code = (int) BigEndian.u32(message, at) & OPCODE_MASK;
        AtomicOpcode opcode = AtomicOpcode.of(code);
        if (opcode == null) {
            throw new RdmapViolation(
                    RdmapError.OPERATION_OPCODE, "atomic operation code " + code + " (RFC 7306, section 5.2.1)");
        }
        return new AtomicRequestHeader(
                opcode,
                BigEndian.u32(message, at + IDENTIFIER_OFFSET),
                BigEndian.u32(message, at + STAG_OFFSET),
                BigEndian.u64(message, at + TO_OFFSET),
                new MaskedWord(BigEndian.u64(message, at + DATA_OFFSET), BigEndian.u64(message, at + MASK_OFFSET)),
                new MaskedWord(
                        BigEndian.u64(message, at + COMPARE_DATA_OFFSET),
                        BigEndian.u64(message, at + COMPARE_MASK_OFFSET)));
    }

    /** Appends the header. */
    public void encode(ByteBuffer out) {
        BigEndian.putU32(out, opcode.code());
        BigEndian.putU32(out, requestIdentifier);
        BigEndian.putU32(out, remoteStag);
        BigEndian.putU64(out, remoteOffset);
        BigEndian.putU64(out, operand.data());
        BigEndian.putU64(out, operand.mask());
        BigEndian.putU64(out, compare.data());
        BigEndian.putU64(out, compare.mask());
    }

    /** Executes the operation on a word that has been checked as a permitted target. Returns the previous value. */
    public long execute(RdmapRegion target, int offsetBytes) {
        return switch (opcode) {
            case FETCH_ADD -> target.fetchAdd(offsetBytes, operand);
            case COMPARE_SWAP -> target.compareSwap(offsetBytes, compare, operand);
        };
    }
}
