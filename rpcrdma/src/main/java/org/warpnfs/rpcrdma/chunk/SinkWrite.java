package org.warpnfs.rpcrdma.chunk;

import java.nio.ByteBuffer;
import java.util.List;
import org.warpnfs.iwarp.verbs.RemoteMemory;
import org.warpnfs.iwarp.verbs.WorkRequest;
import org.warpnfs.payload.FileRange;

/** One RDMA Write: the bytes, and the requester's segment that they are written to, from its beginning. */
public sealed interface SinkWrite {
    RemoteMemory sink();

    int lengthBytes();

    /** The work request that does it. */
    WorkRequest request(long id);

    /**
     * A Write of bytes in memory.
     *
     * @param source gathered in this order
     */
    record OfMemory(List<ByteBuffer> source, RemoteMemory sink, int lengthBytes) implements SinkWrite {
        public OfMemory {
            source = List.copyOf(source);
        }

        @Override
        public WorkRequest request(long id) {
            return new WorkRequest.RdmaWrite(id, source, sink);
        }
    }

    /**
     * A Write of bytes in a file.
     *
     * @param from offset in the range
     */
    record OfFile(FileRange source, int from, RemoteMemory sink, int lengthBytes) implements SinkWrite {
        @Override
        public WorkRequest request(long id) {
            return new WorkRequest.FileWrite(id, source, from, lengthBytes, sink);
        }
    }
}
