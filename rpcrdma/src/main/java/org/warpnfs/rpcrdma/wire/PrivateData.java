package org.warpnfs.rpcrdma.wire;

import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * The private data that RPC-over-RDMA peers exchange while connecting (RFC 8797, section 4).
 *
 * <pre>
 * 0 | magic f6ab0e18                                   4
 * 4 | version 1                                        1
 * 5 | flags; bit 0: Send with Invalidate is welcome    1
 * 6 | send size: bytes / 1024 - 1                      1
 * 7 | receive size, likewise                           1
 * </pre>
 *
 * @param sendBytes the largest message that the sender of this data sends inline
 * @param receiveBytes the largest message that it receives
 */
public record PrivateData(boolean remoteInvalidation, int sendBytes, int receiveBytes) {
    /** The length on the wire. */
    public static final int ENCODED_BYTES = 8;

    /**
     * The unit of the encoded sizes. Also the default inline threshold of a peer without private data (RFC 8166,
     * section 3.3.2).
     */
    public static final int UNIT_BYTES = 1024;

    /** The values to assume for a peer that sent no such private data. */
    public static final PrivateData ABSENT = new PrivateData(false, UNIT_BYTES, UNIT_BYTES);

    private static final int MAX_BYTES = 256 * UNIT_BYTES;
    private static final int MAGIC = 0xf6ab0e18;
    private static final int VERSION = 1;
    private static final int FLAG_REMOTE_INVALIDATION = 0x01;

    public PrivateData {
        requireCodable(sendBytes);
        requireCodable(receiveBytes);
    }

    /**
     * Finds this data at the start of a peer's private data. Empty if it is absent, too short, or of another version.
     */
    public static Optional<PrivateData> parse(ByteBuffer privateData) {
        ByteBuffer in = privateData.duplicate();
        if (in.remaining() < ENCODED_BYTES || in.getInt() != MAGIC || in.get() != VERSION) {
            return Optional.empty();
        }
        boolean remoteInvalidation = (in.get() & FLAG_REMOTE_INVALIDATION) != 0;
        return Optional.of(new PrivateData(remoteInvalidation, decodeSize(in.get()), decodeSize(in.get())));
    }

    /** The encoded data in a new buffer. */
    public ByteBuffer encoded() {
        return ByteBuffer.allocate(ENCODED_BYTES)
                .putInt(MAGIC)
                .put((byte) VERSION)
                .put((byte) (remoteInvalidation ? FLAG_REMOTE_INVALIDATION : 0))
                .put(encodeSize(sendBytes))
                .put(encodeSize(receiveBytes))
                .flip();
    }

    private static int decodeSize(byte coded) {
        return (Byte.toUnsignedInt(coded) + 1) * UNIT_BYTES;
    }

    private static byte encodeSize(int bytes) {
        return (byte) (bytes / UNIT_BYTES - 1);
    }

    private static void requireCodable(int bytes) {
        if (bytes < UNIT_BYTES || bytes > MAX_BYTES || bytes % UNIT_BYTES != 0) {
            throw new IllegalArgumentException(
                    "inline size of " + bytes + " bytes is not a multiple of " + UNIT_BYTES + " up to " + MAX_BYTES);
        }
    }
}
