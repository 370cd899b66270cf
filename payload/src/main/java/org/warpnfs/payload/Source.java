package org.warpnfs.payload;

import java.nio.ByteBuffer;

/**
 * File data on their way to a socket, in one of two forms: bytes in memory ({@link Payload}), or a range of an open
 * file whose bytes are not read ({@link FileRange}). Its length is fixed.
 *
 * <h2>Buffers</h2>
 *
 * A source has one owner at a time, who calls {@link #release()} exactly once.
 */
public sealed interface Source permits Payload, FileRange {
    int lengthBytes();

    /** Gives back what it holds. May be called on any thread, and does not wait. */
    void release();

    /**
     * The bytes, in a buffer of their own position and limit. Those of a file range are read into new memory on the
     * heap, for a reply that has to be kept. That may wait for a disk.
     */
    ByteBuffer bytes();

    /** The part of it that lies on the heap, in bytes. */
    int heapBytes();
}
