package org.warpnfs.testkit;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Cuts one direction of an MPA connection at its frame boundaries, by RFC 5044 only. It expects the startup frame, and
 * then FPDUs without markers.
 */
public final class FpduCutter {
    private static final int FRAME_HEADER_BYTES = 20;
    private static final int PRIVATE_DATA_LENGTH_OFFSET = 18;

    private ByteBuffer held = ByteBuffer.allocate(0);
    private boolean started;

    /** Takes the next bytes and returns the frames that they complete. */
    public List<ByteBuffer> add(ByteBuffer bytes) {
        held = ByteBuffer.allocate(held.remaining() + bytes.remaining())
                .put(held)
                .put(bytes.duplicate())
                .flip();
        List<ByteBuffer> frames = new ArrayList<>();
        for (int lengthBytes = frameBytes(); lengthBytes <= held.remaining(); lengthBytes = frameBytes()) {
            frames.add(held.slice(held.position(), lengthBytes));
            held.position(held.position() + lengthBytes);
            started = true;
        }
        return frames;
    }

    private int frameBytes() {
        if (!started) {
            return held.remaining() < FRAME_HEADER_BYTES
                    ? FRAME_HEADER_BYTES
                    : FRAME_HEADER_BYTES + held.getShort(held.position() + PRIVATE_DATA_LENGTH_OFFSET);
        }
        if (held.remaining() < 2) {
            return 2;
        }
        int ulpduBytes = Short.toUnsignedInt(held.getShort(held.position()));
        return (2 + ulpduBytes + 3 & ~3) + 4;
    }
}
