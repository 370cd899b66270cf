package org.warpnfs.payload;

import java.nio.ByteBuffer;

/**
 * File data on its way between a backend and a socket.
 *
 * <p>It is a type of its own, so that data that can stay in their file (sendfile, a mapping) can later be handed along
 * in the same way.
 *
 * <h2>Operation</h2>
 *
 * The program fills {@link #buffer()} between position and limit and hands the payload to a {@link PayloadEncoder}; or
 * a transport fills it and lends it to a program for the length of one call.
 *
 * <h2>Buffers</h2>
 *
 * A payload has one owner at a time. Handing it to a {@code PayloadEncoder} passes ownership; whoever owns it last
 * calls {@link #release()} exactly once, after which the buffer must not be touched.
 *
 * <h2>Errors</h2>
 *
 * A second {@code release()} is a bug of ours and throws {@link IllegalStateException}. A payload may be released on
 * any thread; it is not otherwise safe for use by two threads at once.
 */
public interface Payload {
    /** The data: position to limit. Direct, and page-aligned where it comes from a pool. */
    ByteBuffer buffer();

    /** Gives the memory back to where it came from. */
    void release();

    /** Bytes between position and limit. */
    default int lengthBytes() {
        return buffer().remaining();
    }

    /** Wraps memory that needs no giving back. */
    static Payload unpooled(ByteBuffer buffer) {
        return new Payload() {
            @Override
            public ByteBuffer buffer() {
                return buffer;
            }

            @Override
            public void release() {
                // The garbage collector owns it.
            }
        };
    }
}
