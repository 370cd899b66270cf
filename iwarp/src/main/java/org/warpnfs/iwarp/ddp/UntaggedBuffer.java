package org.warpnfs.iwarp.ddp;

import java.nio.ByteBuffer;

/**
 * A buffer that waits in an {@link UntaggedQueue} for one message.
 *
 * <p>The memory is the poster's; it is filled from the position that it had when it was posted, which does not move.
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

    /** The memory as posted, its position and limit untouched. */
    public final ByteBuffer memory() {
        return memory;
    }

    /** The longest message that fits. */
    public final int capacityBytes() {
        return capacityBytes;
    }

    /** The first bytes of what was placed. */
    public final ByteBuffer message(int lengthBytes) {
        return memory.slice(start, lengthBytes);
    }

    @Override
    public final void place(int offsetBytes, ByteBuffer bytes) {
        memory.put(start + offsetBytes, bytes, bytes.position(), bytes.remaining());
    }
}
