package org.warpnfs.payload;

import java.nio.ByteBuffer;

/**
 * File data in memory, on its way between a backend and a socket.
 *
 * <h2>Operation</h2>
 *
 * Either a program fills {@link #buffer()} between position and limit and passes the payload to a
 * {@link PayloadEncoder}. Or a transport fills it and lends it to a program for the duration of one call.
 *
 * <h2>Buffers</h2>
 *
 * A payload has one owner at a time. Passing it to a {@code PayloadEncoder} passes ownership. The last owner calls
 * {@link #release()} exactly once and must not use the buffer after that.
 *
 * <h2>Errors</h2>
 *
 * A second {@code release()} is a bug of ours and throws {@link IllegalStateException}. A payload may be released on
 * any thread. Otherwise it is not safe for use by two threads at once.
 */
public non-sealed interface Payload extends Source {
    /** The data, from position to limit. Direct, and page-aligned if it comes from a pool. */
    ByteBuffer buffer();

    /** Gives the memory back to its origin. */
    @Override
    void release();

    /** The number of bytes between position and limit. */
    @Override
    default int lengthBytes() {
        return buffer().remaining();
    }

    @Override
    default ByteBuffer bytes() {
        return buffer().duplicate();
    }

    @Override
    default int heapBytes() {
        return buffer().isDirect() ? 0 : lengthBytes();
    }

    /** Wraps memory that need not be given back. */
    static Payload unpooled(ByteBuffer buffer) {
        return new Payload() {
            @Override
            public ByteBuffer buffer() {
                return buffer;
            }

            @Override
            public void release() {
                // The garbage collector frees the memory.
            }
        };
    }
}
