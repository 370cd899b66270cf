package org.warpnfs.payload;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * File data in memory that a backend lends: they go from there to a socket without a copy in user space.
 *
 * <h2>Operation</h2>
 *
 * The bytes are those of one moment, and nobody changes them while they are lent. So they can be read more than once,
 * for a CRC and then for a socket.
 *
 * <h2>Buffers</h2>
 *
 * The memory belongs to the backend. It is lent until {@link #release()}.
 *
 * <p>Safe for any thread.
 */
public non-sealed interface LentBytes extends Source {
    /**
     * The data, in this order, each from position to limit. Direct; no other user may move a position or a limit, so a
     * caller that does takes a slice.
     */
    List<ByteBuffer> buffers();

    @Override
    default int heapBytes() {
        return 0;
    }

    @Override
    default ByteBuffer bytes() {
        ByteBuffer copy = ByteBuffer.allocate(lengthBytes());
        for (ByteBuffer buffer : buffers()) {
            copy.put(buffer.slice());
        }
        return copy.flip();
    }
}
