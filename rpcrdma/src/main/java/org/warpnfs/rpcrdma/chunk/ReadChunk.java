package org.warpnfs.rpcrdma.chunk;

import java.util.List;
import org.warpnfs.rpcrdma.wire.RdmaSegment;

/**
 * One argument, or a whole call, that waits in the requester's memory: the Read list's entries of one position.
 *
 * @param position where in the unreduced message its first byte belongs
 * @param segments in list order, which is the order of the bytes
 * @param lengthBytes of all segments together
 */
public record ReadChunk(long position, List<RdmaSegment> segments, int lengthBytes) {
    public ReadChunk {
        segments = List.copyOf(segments);
    }
}
