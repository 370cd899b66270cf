package org.warpnfs.rpcrdma.chunk;

import java.util.List;
import org.warpnfs.rpcrdma.wire.RdmaSegment;

/**
 * One argument, or a whole call, in the requester's memory: the entries of the Read list that have the same position.
 *
 * @param position the offset of its first byte in the unreduced message
 * @param segments in list order, which is the order of the bytes
 * @param lengthBytes the length of all segments together
 */
public record ReadChunk(long position, List<RdmaSegment> segments, int lengthBytes) {
    public ReadChunk {
        segments = List.copyOf(segments);
    }
}
