package org.warpnfs.nfs.xdr;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.jspecify.annotations.Nullable;

/**
 * Decoders of RFC 4506 data whose size the peer names. They compare the length with a limit before they allocate a
 * byte.
 *
 * <p>oncrpc4j's own decoders of opaque data allocate first and check afterwards.
 *
 * <h2>Errors</h2>
 *
 * Every method throws an {@link IOException} when the data end early: oncrpc4j's own, or an {@link XdrViolation}.
 */
public final class BoundedXdr {
    private static final int SKIP_STEP_BYTES = 4096;

    private BoundedXdr() {}

    /** Variable-length opaque data (RFC 4506, section 4.10) of at most {@code maxLengthBytes}. */
    public static byte[] opaque(XdrDecodingStream xdr, int maxLengthBytes) throws IOException {
        int lengthBytes = xdr.xdrDecodeInt();
        if (lengthBytes < 0 || lengthBytes > maxLengthBytes) {
            throw new XdrViolation(
                    "opaque of " + Integer.toUnsignedString(lengthBytes) + " bytes, limit " + maxLengthBytes);
        }
        return fixedOpaque(xdr, lengthBytes);
    }

    /**
     * Decodes opaque data as {@link #opaque} does, but skips data longer than the limit, so that the protocol can
     * report that in a reply of its own.
     *
     * @return null if the data were longer
     */
    public static byte @Nullable [] opaqueOrSkip(XdrDecodingStream xdr, int maxLengthBytes) throws IOException {
        int lengthBytes = xdr.xdrDecodeInt();
        if (lengthBytes < 0) {
            throw new XdrViolation("opaque of " + Integer.toUnsignedString(lengthBytes) + " bytes");
        }
        if (lengthBytes <= maxLengthBytes) {
            return fixedOpaque(xdr, lengthBytes);
        }
        byte[] step = new byte[SKIP_STEP_BYTES];
        for (int left = lengthBytes; left > 0; left -= SKIP_STEP_BYTES) {
            xdr.xdrDecodeOpaque(step, 0, Math.min(left, SKIP_STEP_BYTES));
        }
        return null;
    }

    /**
     * Variable-length opaque data that stay in the transport's memory, which lends them until the call ends. For WRITE
     * data and SYMLINK text, which RFC 8267 calls DDP-eligible.
     */
    public static ByteBuffer lentOpaque(XdrDecodingStream xdr) throws IOException {
        try {
            return xdr.xdrDecodeByteBuffer();
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            // oncrpc4j 3.4.2 adds the pad to the length before it compares, which overflows near 2^31.
            throw new XdrViolation("opaque longer than what remains");
        }
    }

    /** A count of elements that follow; at most {@code maxCount}. */
    public static int count(XdrDecodingStream xdr, int maxCount) throws IOException {
        int count = xdr.xdrDecodeInt();
        if (count < 0 || count > maxCount) {
            throw new XdrViolation(Integer.toUnsignedString(count) + " elements, limit " + maxCount);
        }
        return count;
    }

    /** A bool (RFC 4506, section 4.4): 0 or 1, and no other value. */
    public static boolean bool(XdrDecodingStream xdr) throws IOException {
        return ordinal(xdr, 2) == 1;
    }

    /** An enum (RFC 4506, section 4.3) whose values are 0 to {@code count} - 1. */
    public static int ordinal(XdrDecodingStream xdr, int count) throws IOException {
        int value = xdr.xdrDecodeInt();
        if (value < 0 || value >= count) {
            throw new XdrViolation("enum value " + Integer.toUnsignedString(value) + " of " + count);
        }
        return value;
    }

    /** An unsigned 32-bit integer. */
    public static long uint32(XdrDecodingStream xdr) throws IOException {
        return Integer.toUnsignedLong(xdr.xdrDecodeInt());
    }

    private static byte[] fixedOpaque(XdrDecodingStream xdr, int lengthBytes) throws IOException {
        byte[] bytes = new byte[lengthBytes];
        xdr.xdrDecodeOpaque(bytes, 0, lengthBytes);
        return bytes;
    }
}
