package org.warpnfs.rpcrdma.chunk;

import java.nio.ByteBuffer;
import java.util.List;
import org.warpnfs.iwarp.verbs.RemoteMemory;

/**
 * One RDMA Write: the bytes, and the requester's segment that they are written to, from its beginning.
 *
 * @param source gathered in this order
 */
public record SinkWrite(List<ByteBuffer> source, RemoteMemory sink, int lengthBytes) {
    public SinkWrite {
        source = List.copyOf(source);
    }
}
