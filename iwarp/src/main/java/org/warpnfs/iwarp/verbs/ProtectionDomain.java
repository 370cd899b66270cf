package org.warpnfs.iwarp.verbs;

import java.nio.ByteBuffer;
import java.util.Set;

/**
 * A group of memory regions and queue pairs (RFC 5041, section 8.2). An STag registered here is valid on the streams
 * that were connected in this domain ({@link ConnectOptions#in}), and on no other.
 *
 * <h2>Operation</h2>
 *
 * A queue pair is in one domain, from its creation to its end, or in none. Memory registered on a queue pair itself
 * ({@link QueuePair#register}) is valid on that one stream alone, whatever its domain. Prefer that. Put streams into
 * one domain only if their peers trust each other with all of its memory.
 *
 * <h2>Buffers</h2>
 *
 * The memory belongs to the one who registered it. {@link MemoryRegion#invalidate()} of a region of a domain waits
 * until no thread places into it any more. After that the memory may be used for something else. No peer can invalidate
 * such a region, because other peers may use it (RFC 5040, section 8.1.1).
 *
 * <h2>Errors</h2>
 *
 * A peer outside the domain that uses one of its STags ends its own stream.
 *
 * <p>Safe for any thread.
 */
public interface ProtectionDomain extends AutoCloseable {
    /**
     * Registers memory, from its position to its limit, for all streams of this domain.
     *
     * @throws LimitReachedException if the limit of regions or of registered memory is reached
     * @throws IllegalArgumentException if {@code rights} permit writing and the memory is read-only
     * @throws IllegalStateException if the domain is closed
     */
    MemoryRegion register(ByteBuffer memory, Set<AccessRight> rights);

    /** Invalidates all regions of the domain. Its queue pairs stay connected. */
    @Override
    void close();
}
