package org.warpnfs.payload;

import java.nio.ByteBuffer;

/**
 * File data on their way to a socket, in one of three forms: bytes in a buffer of their own ({@link Payload}), bytes in
 * memory that a backend lends ({@link LentBytes}), or a range of an open file whose bytes are not read
 * ({@link FileRange}). Its length is fixed.
 *
 * <h2>Buffers</h2>
 *
 * A source has one owner at a time, who calls {@link #release()} exactly once.
 */
public sealed interface Source permits Payload, LentBytes, FileRange {
    int lengthBytes();

    /** Gives back what it holds. May be called on any thread, and does not wait. */
    void release();

    /**
     * The bytes, in a buffer of their own position and limit. Those that are lent, and those of a file range, come in
     * new memory on the heap, for a reply that has to be kept. To read a range may wait for a disk.
     */
    ByteBuffer bytes();

    /** The part of it that lies on the heap, in bytes. */
    int heapBytes();
}
