package org.warpnfs.iwarp.mpa;

import java.nio.ByteBuffer;

/**
 * An FPDU that arrives in pieces.
 *
 * <h2>Operation</h2>
 *
 * {@link #append} until it is whole, then {@link #take}.
 *
 * <h2>Buffers</h2>
 *
 * Grows with what has arrived, never by what a length field claims, to the longest FPDU at most; kept for the next.
 *
 * <h2>Errors</h2>
 *
 * None.
 */
final class FpduCopy {
    private static final int FIRST_BYTES = 4096;
    private static final ByteBuffer NONE = ByteBuffer.allocate(0);

    private ByteBuffer memory = NONE;

    /** What has been appended. */
    int lengthBytes() {
        return memory.position();
    }

    /** What has been appended, from 0 on. */
    ByteBuffer bytes() {
        return memory;
    }

    /** Moves bytes here, no more than there are. */
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

    /** What has been appended, as a view that is good until the next append. */
    ByteBuffer take() {
        ByteBuffer whole = memory.slice(0, memory.position());
        memory.clear();
        return whole;
    }
}
