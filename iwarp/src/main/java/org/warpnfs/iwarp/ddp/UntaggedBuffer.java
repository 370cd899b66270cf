package org.warpnfs.iwarp.ddp;

import java.nio.ByteBuffer;

/**
 * A buffer in an {@link UntaggedQueue}, for one message.
 *
 * <p>The memory belongs to the poster. It is filled from the position that it had when it was posted. The position does
 * not move.
 */
public class UntaggedBuffer implements PlacementTarget {
    private final ByteBuffer memory;
    private final int start;
    private final int capacityBytes;

    /** @param memory filled from its position to at most its limit */
    public UntaggedBuffer(ByteBuffer memory) {
        this.memory = memory;
        this.start = memory.position();
        this.capacityBytes = memory.remaining();
    }

    /** The memory as posted, with position and limit unchanged. */
    public final ByteBuffer memory() {
        return memory;
    }

    /** The length of the longest message that fits. */
    public final int capacityBytes() {
        return capacityBytes;
    }

    /** The first {@code lengthBytes} bytes of what was placed. */
    public final ByteBuffer message(int lengthBytes) {
        return memory.slice(start, lengthBytes);
    }

    @Override
    public final void place(int offsetBytes, ByteBuffer bytes) {
        memory.put(start + offsetBytes, bytes, bytes.position(), bytes.remaining());
    }
}
