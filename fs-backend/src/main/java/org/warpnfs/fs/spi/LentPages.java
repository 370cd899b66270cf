package org.warpnfs.fs.spi;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * Bytes of a file in the memory of a backend, lent so that they can be sent without a copy.
 *
 * <h2>Operation</h2>
 *
 * They are the bytes of one moment. What happens to the file afterwards does not change them: if it is written to, cut,
 * removed or closed, or its file system is closed, the backend puts other memory in their place and keeps these as they
 * are. A checksum of them, for instance, stays right until they have been sent.
 *
 * <h2>Buffers</h2>
 *
 * The memory belongs to the backend. The user gives it back by {@link #close()}, exactly once, on any thread, and does
 * not touch it afterwards.
 */
public interface LentPages extends AutoCloseable {
    /**
     * The bytes in order, each buffer from position to limit. Direct, and not empty. Only the caller moves a position.
     */
    List<ByteBuffer> buffers();

    /** Gives the memory back. Does not wait. */
    @Override
    void close();
}
