package org.warpnfs.rpcrdma.request;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/**
 * Memory that a call offers for its results. Registered while the call is outstanding.
 *
 * @param writeSinks one for each DDP-eligible result, filled from position
 * @param replySink for a whole reply that does not fit inline; like the others it must not be read-only
 */
public record ChunkOffer(List<ByteBuffer> writeSinks, Optional<ByteBuffer> replySink) {
    /** The reply fits inline. */
    public static final ChunkOffer NONE = new ChunkOffer(List.of(), Optional.empty());

    public ChunkOffer {
        writeSinks = List.copyOf(writeSinks);
        if (writeSinks.stream().anyMatch(ByteBuffer::isReadOnly)
                || replySink.filter(ByteBuffer::isReadOnly).isPresent()) {
            throw new IllegalArgumentException("a sink is to be written, and one is read-only");
        }
    }

    /** Room for one DDP-eligible result. */
    public static ChunkOffer write(ByteBuffer sink) {
        return new ChunkOffer(List.of(sink), Optional.empty());
    }

    /** Room for a whole reply. */
    public static ChunkOffer reply(ByteBuffer sink) {
        return new ChunkOffer(List.of(), Optional.of(sink));
    }
}
