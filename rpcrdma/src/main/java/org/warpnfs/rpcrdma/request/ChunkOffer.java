package org.warpnfs.rpcrdma.request;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/**
 * The memory that a call offers for its results. It is registered while the call is outstanding.
 *
 * @param writeSinks one for each DDP-eligible result, filled from its position
 * @param replySink for a whole reply that does not fit inline; no sink may be read-only
 */
public record ChunkOffer(List<ByteBuffer> writeSinks, Optional<ByteBuffer> replySink) {
    /** Offers nothing, for a reply that fits inline. */
    public static final ChunkOffer NONE = new ChunkOffer(List.of(), Optional.empty());

    public ChunkOffer {
        writeSinks = List.copyOf(writeSinks);
        if (writeSinks.stream().anyMatch(ByteBuffer::isReadOnly)
                || replySink.filter(ByteBuffer::isReadOnly).isPresent()) {
            throw new IllegalArgumentException("a sink is read-only, it must be writable");
        }
    }

    /** Offers memory for one DDP-eligible result. */
    public static ChunkOffer write(ByteBuffer sink) {
        return new ChunkOffer(List.of(sink), Optional.empty());
    }

    /** Offers memory for a whole reply. */
    public static ChunkOffer reply(ByteBuffer sink) {
        return new ChunkOffer(List.of(), Optional.of(sink));
    }
}
