package org.warpnfs.iwarp.verbs;

import java.nio.ByteBuffer;
import org.warpnfs.iwarp.io.MaskedWord;

/**
 * Memory registered for remote access: an STag with bounds, access rights, and the streams that it is valid on (RFC
 * 5040, section 5; RFC 5041, sections 5 and 8.2).
 *
 * <h2>Operation</h2>
 *
 * Created by {@link QueuePair#register} for one stream, or by {@link ProtectionDomain#register} for the streams of a
 * domain. The STag comes from a secure random source. It is not reused for another region for a long time.
 *
 * <h2>Buffers</h2>
 *
 * The memory belongs to the one who registered it. Access ends when {@link #invalidate()} has returned, or, for a
 * region of one stream, at its {@link QueuePairHandler#disconnected}. After that no arriving byte is placed in the
 * memory, and no response to a peer's Read is begun from it. Of a response that has begun, at most one batch is still
 * read and sent.
 *
 * <h2>Errors</h2>
 *
 * A peer that uses the STag outside its bounds or rights, on another stream, or after its invalidation, ends its own
 * stream. The region is not affected.
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
     * Whether the region has not been invalidated by us, by the peer's Send with Invalidate, or by the end of the
     * stream.
     */
    boolean valid();

    /**
     * Revokes the STag. Does nothing if it is already invalid. A region of one stream may be invalidated only on its
     * owner thread, else this throws {@link IllegalStateException}. A region of a domain may be invalidated on any
     * thread; the call then waits for placements in progress.
     */
    void invalidate();

    /**
     * Adds to a word of this memory, as the peer's {@link WorkRequest.FetchAdd} does. It is atomic against the peer's
     * operation and against every other atomic operation of this process on that memory, through any region. Adding 0
     * is an atomic load. May be called on any thread, also when the region is not valid.
     *
     * @param offsetBytes the offset of the word; its address must be a multiple of eight
     * @return the previous value
     * @throws IllegalArgumentException if the word is not at such an address, or the memory is not direct
     * @throws IndexOutOfBoundsException if the word is not entirely within the region
     */
    long fetchAdd(int offsetBytes, MaskedWord add);

    /**
     * Replaces bits of a word, as the peer's {@link WorkRequest.CompareSwap} does. Otherwise the same as
     * {@link #fetchAdd}.
     */
    long compareSwap(int offsetBytes, MaskedWord compare, MaskedWord swap);
}
