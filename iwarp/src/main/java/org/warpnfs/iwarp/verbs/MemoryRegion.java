package org.warpnfs.iwarp.verbs;

import java.nio.ByteBuffer;

/**
 * Memory registered for remote access on one queue pair: an STag with bounds and rights (RFC 5040 §5, RFC 5041 §5).
 *
 * <h2>Operation</h2>
 *
 * Made by {@link QueuePair#register}. Its STag is drawn from a secure random source and means nothing on any other stream.
 *
 * <h2>Buffers</h2>
 *
 * The memory belongs to whoever registered it. After {@link #invalidate()} has returned, or after the queue pair's {@link
 * QueuePairHandler#disconnected}, no byte that arrives is placed in it.
 *
 * <h2>Errors</h2>
 *
 * A peer that uses the STag outside its bounds or rights, or after its invalidation, ends its own stream; the region sees
 * nothing of it.
 */
public interface MemoryRegion {
    /** The steering tag, an unsigned 32-bit number. */
    long stag();

    /** The tagged offset of the first byte, an unsigned 64-bit number. */
    long taggedOffset();

    /** Length of the registered memory in bytes. */
    int lengthBytes();

    /** The registered memory, from 0 to {@link #lengthBytes()}. */
    ByteBuffer memory();

    /** False once the region was invalidated, by us, by the peer's Send with Invalidate, or by the end of the stream. */
    boolean valid();

    /** Revokes the STag at once. Does nothing if it is already invalid. Owner thread. */
    void invalidate();
}
