package org.warpnfs.iwarp.mpa;

import java.nio.ByteBuffer;

/**
 * Collects an FPDU that arrives in pieces.
 *
 * <h2>Operation</h2>
 *
 * Call {@link #append} until the FPDU is complete, then {@link #take}.
 *
 * <h2>Buffers</h2>
 *
 * The buffer grows with the bytes that have arrived, up to the longest FPDU, and never because a length field claims
 * more. It is kept for the next FPDU.
 *
 * <h2>Errors</h2>
 *
 * None.
 */
final class FpduCopy {
    private static final int FIRST_BYTES = 4096;
    private static final ByteBuffer NONE = ByteBuffer.allocate(0);

    private ByteBuffer memory = NONE;

    /** The number of bytes appended so far. */
    int lengthBytes() {
        return memory.position();
    }

    /** The bytes appended so far, starting at index 0. */
    ByteBuffer bytes() {
        return memory;
    }

    /** Moves up to {@code wantedBytes} bytes from {@code in} to the copy. */
    void append(ByteBuffer in, int wantedBytes) {
        int lengthBytes = Math.min(wantedBytes, in.remaining());
        if (lengthBytes <= 0) {
            return;
        }
        if (memory.remaining() < lengthBytes) {
            int capacity = Math.max(FIRST_BYTES, Math.max(memory.capacity() * 2, memory.position() + lengthBytes));
            memory = ByteBuffer.allocateDirect(capacity).put(memory.flip());
        }
        memory.put(in.slice(in.position(), lengthBytes));
        in.position(in.position() + lengthBytes);
    }

    /** Returns the appended bytes as a view, which is valid until the next append, and starts over. */
    ByteBuffer take() {
        ByteBuffer whole = memory.slice(0, memory.position());
        memory.clear();
        return whole;
    }
}
