package org.warpnfs.iwarp.verbs;

import java.nio.ByteBuffer;
import org.warpnfs.iwarp.io.MaskedWord;

/**
 * Memory registered for remote access: an STag with bounds, rights, and streams that it is valid on (RFC 5040, section
 * 5; RFC 5041, sections 5 and 8.2).
 *
 * <h2>Operation</h2>
 *
 * Made by {@link QueuePair#register} for one stream, or by {@link ProtectionDomain#register} for those of a domain. The
 * STag is drawn from a secure random source, and for a long time no other region gets it again.
 *
 * <h2>Buffers</h2>
 *
 * The memory belongs to whoever registered it. After {@link #invalidate()} has returned, or, for a region of one
 * stream, after its {@link QueuePairHandler#disconnected}, no byte that arrives is placed in it, and no answer to a
 * peer's Read is begun from it. Of an answer that has begun, one batch at most is still read and sent.
 *
 * <h2>Errors</h2>
 *
 * A peer that uses the STag outside its bounds or rights, on another stream, or after its invalidation, ends its own
 * stream; the region sees nothing of it.
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

    /**
     * False once the region was invalidated, by us, by the peer's Send with Invalidate, or by the end of the stream.
     */
    boolean valid();

    /**
     * Revokes the STag. Does nothing if it is already invalid. For a region of one stream on its owner thread, else
     * {@link IllegalStateException}; for a region of a domain on any thread, and then it waits for placements under
     * way.
     */
    void invalidate();

    /**
     * Adds to a word of this memory as the peer's {@link WorkRequest.FetchAdd} does, and atomically against it and
     * against every other of this process, through whichever region. A plain load may be had by adding 0. Any thread;
     * also when the region is not valid.
     *
     * @param offsetBytes where the word begins; its address has to be a multiple of eight
     * @return what was there before
     * @throws IllegalArgumentException if the word is not at such an address, or the memory is not direct
     * @throws IndexOutOfBoundsException if it is not all within the region
     */
    long fetchAdd(int offsetBytes, MaskedWord add);

    /** Replaces bits of a word as the peer's {@link WorkRequest.CompareSwap} does; all else as {@link #fetchAdd}. */
    long compareSwap(int offsetBytes, MaskedWord compare, MaskedWord swap);
}
