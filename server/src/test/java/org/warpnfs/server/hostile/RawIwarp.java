package org.warpnfs.server.hostile;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The initiator's end of an iWARP stream, encoded byte by byte: MPA (RFC 5044, section 7.1; RFC 6581, section 9)
 * without CRC and markers, and Sends of DDP (RFC 5041, section 4) and RDMAP (RFC 5040, section 4). It shares no code
 * with the server, and answers nothing.
 */
final class RawIwarp implements AutoCloseable {
    private static final byte[] REQUEST_KEY = "MPA ID Req Frame".getBytes(StandardCharsets.US_ASCII);
    private static final int REPLY_BYTES = 20;
    private static final int ENHANCED = 0x10;
    private static final int REVISION = 2;
    /**
     * IRD and ORD, followed by the private data of RFC 8797: version 1, remote invalidation, 4096 bytes in each
     * direction.
     */
    private static final int[] PRIVATE_DATA = {0x0080_0000, 0xf6ab_0e18, 0x0101_0303};

    private static final int LAST_UNTAGGED = 0x41;
    private static final int SEND = 0x43;
    private static final int UNTAGGED_HEADER_BYTES = 18;

    private final Wire wire;
    private int nextMsn = 1;

    private RawIwarp(Wire wire) {
        this.wire = wire;
    }

    static byte[] request() {
        ByteBuffer frame = ByteBuffer.allocate(REQUEST_KEY.length + 4 + 4 * PRIVATE_DATA.length);
        frame.put(REQUEST_KEY).put((byte) ENHANCED).put((byte) REVISION).putShort((short) (4 * PRIVATE_DATA.length));
        for (int word : PRIVATE_DATA) {
            frame.putInt(word);
        }
        return frame.array();
    }

    /** Opens a connection on which nothing has been sent. */
    static RawIwarp silent(InetSocketAddress server, int number) throws IOException {
        return new RawIwarp(Wire.connect(server, number));
    }

    /** Opens a connection and completes the MPA startup. The first FPDU has not been sent. */
    static RawIwarp established(InetSocketAddress server, int number) throws IOException {
        RawIwarp raw = silent(server, number);
        raw.establish();
        return raw;
    }

    /** Sends the MPA request and waits for the reply. Returns false if the server ended the connection. */
    boolean establish() {
        wire.push(request());
        ByteBuffer head = ByteBuffer.allocate(REPLY_BYTES);
        if (!wire.await(head)) {
            return false;
        }
        return wire.await(ByteBuffer.allocate(head.getShort(REPLY_BYTES - 2)));
    }

    /** Encodes an FPDU that carries a whole Send. */
    ByteBuffer send(byte[] message) {
        int ulpdu = UNTAGGED_HEADER_BYTES + message.length;
        ByteBuffer fpdu = ByteBuffer.allocate((2 + ulpdu + 3 & ~3) + 4);
        fpdu.putShort((short) ulpdu).put((byte) LAST_UNTAGGED).put((byte) SEND);
        fpdu.putInt(0).putInt(0).putInt(nextMsn++).putInt(0).put(message);
        return fpdu.rewind();
    }

    Wire wire() {
        return wire;
    }

    @Override
    public void close() {
        wire.close();
    }
}
