package org.warpnfs.nfs.xdr;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.jspecify.annotations.Nullable;

/**
 * Decoders of RFC 4506 data whose size the peer names: the length is compared with a limit before a byte is allocated.
 *
 * <p>oncrpc4j's own decoders of opaque data allocate first and look afterwards.
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
     * As {@link #opaque}, but what is longer than the limit is passed over, so that the protocol can name the fault in
     * a reply of its own.
     *
     * @return null if it was longer
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
     * Variable-length opaque data that stay in the transport's memory (WRITE data, SYMLINK text: what RFC 8267 calls
     * DDP-eligible), lent for the length of the call.
     */
    public static ByteBuffer lentOpaque(XdrDecodingStream xdr) throws IOException {
        try {
            return xdr.xdrDecodeByteBuffer();
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            // oncrpc4j 3.4.2 adds the pad to the length before it compares, and overflows near 2^31.
            throw new XdrViolation("opaque longer than what remains");
        }
    }

    /** A count of elements that follow, of at most {@code maxCount}. */
    public static int count(XdrDecodingStream xdr, int maxCount) throws IOException {
        int count = xdr.xdrDecodeInt();
        if (count < 0 || count > maxCount) {
            throw new XdrViolation(Integer.toUnsignedString(count) + " elements, limit " + maxCount);
        }
        return count;
    }

    /** A bool (RFC 4506, section 4.4): 0 or 1 and nothing else. */
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
