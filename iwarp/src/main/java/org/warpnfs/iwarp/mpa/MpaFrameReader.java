package org.warpnfs.iwarp.mpa;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Reads one startup frame from a stream, in pieces of any size. Bytes after the frame are not consumed.
 *
 * <h2>Operation</h2>
 *
 * {@link #read} consumes bytes until the frame is complete. The key is compared as it arrives, so that a peer of
 * another protocol is detected at its first wrong byte.
 *
 * <h2>Buffers</h2>
 *
 * Owns 20 bytes plus the private data, which is allocated after its length has been checked.
 *
 * <h2>Errors</h2>
 *
 * A wrong key, a private data length beyond 512 or a missing block is a violation with {@link MpaError#BAD_FRAME}.
 */
public final class MpaFrameReader {
    private final MpaFrame.Kind kind;
    private ByteBuffer frame = ByteBuffer.allocate(MpaFrame.HEADER_BYTES);
    private boolean headerDone;

    public MpaFrameReader(MpaFrame.Kind kind) {
        this.kind = kind;
    }

    /** The frame, once its last byte has been consumed; null if more bytes are needed. */
    public @Nullable MpaFrame read(ByteBuffer in) throws MpaViolation {
        if (!headerDone) {
            int before = frame.position();
            transfer(in);
            checkKey(before);
            if (frame.hasRemaining()) {
                return null;
            }
            headerDone = true;
            int privateDataBytes = MpaFrame.privateDataLengthBytes(frame.flip());
            frame = ByteBuffer.allocate(MpaFrame.HEADER_BYTES + privateDataBytes)
                    .put(frame);
        }
        transfer(in);
        return frame.hasRemaining() ? null : MpaFrame.parse(kind, frame.flip());
    }

    private void transfer(ByteBuffer in) {
        int lengthBytes = Math.min(in.remaining(), frame.remaining());
        frame.put(in.slice(in.position(), lengthBytes));
        in.position(in.position() + lengthBytes);
    }

    private void checkKey(int from) throws MpaViolation {
        for (int i = from; i < Math.min(frame.position(), MpaFrame.KEY_BYTES); i++) {
            if (frame.get(i) != kind.keyByte(i)) {
                throw new MpaViolation(
                        MpaError.BAD_FRAME,
                        "byte " + i + " of the key is " + (frame.get(i) & 0xff) + ", expected "
                                + (kind.keyByte(i) & 0xff) + " (RFC 5044, section 7.1.1)");
            }
        }
    }
}
